import ImageCore

extension HostileInputCheck {
    /// The arguments of a decode.
    private struct Variant: Hashable, CustomStringConvertible {
        var frame: Int
        var size: PixelSize
        var layout: PixelLayout
        var preference: DecodingPreference

        var description: String { "frame \(frame) at \(size) in \(layout) for \(preference)" }
    }

    /// The result of a decode.
    private struct Outcome: Hashable {
        var failure: ImageDecodingError?
        var rows: Int
        var digest: Int
    }

    /// Returns all variants that the image offers: sizes, layouts, preferences, and the last frame.
    private func variants(of image: any OpenedImage) -> [Variant] {
        let header = image.header
        let sizes = [header.storedSize] + Self.targets(in: header.storedSize).map(image.decodableSize(covering:))
        var variants: [Variant] = []
        for size in sizes {
            for layout in [.rgba8, header.nativeLayout] {
                for preference in DecodingPreference.allCases {
                    variants.append(Variant(frame: 0, size: size, layout: layout, preference: preference))
                }
            }
        }
        let lastFrame = header.frameCount - 1
        for size in [header.storedSize, sizes.last ?? header.storedSize] {
            variants.append(Variant(frame: lastFrame, size: size, layout: .rgba8, preference: .quality))
        }
        return variants.reduce(into: []) { distinct, variant in
            if !distinct.contains(variant) { distinct.append(variant) }
        }
    }

    func checkDecoding(of first: any OpenedImage, and second: any OpenedImage) throws(ContractViolation) -> Work {
        try checkFrameNumbers(of: first)
        let variants = variants(of: first)
        var (work, outcomes) = (Work(), [Variant: Outcome]())
        for variant in variants {
            let outcome = try outcome(of: first, variant)
            outcomes[variant] = outcome
            work.add(outcome.rows * variant.size.width, isComplete: outcome.failure == nil)
        }
        for variant in variants.reversed() {
            let outcome = try outcome(of: second, variant, receivesImages: true)
            work.add(outcome.rows * variant.size.width, isComplete: outcome.failure == nil)
            // The rows of a broken file may depend on earlier decodes.
            let isBroken = outcome.failure != nil && outcomes[variant]?.failure == outcome.failure
            try expect(
                isBroken || outcomes[variant] == outcome,
                "\(variant), the same bytes twice: \(String(describing: outcomes[variant])), \(outcome)")
        }
        if let variant = variants.first, let outcome = outcomes[variant] {
            try checkStopping(of: first, variant, outcome)
            if let image = first as? any PartDecodableImage { try checkPart(of: image, outcome) }
        }
        return work
    }

    func checkBriefDecoding(of image: any OpenedImage) throws(ContractViolation) -> Work {
        var work = Work()
        for frame in Set([0, image.header.frameCount - 1]).sorted() {
            let variant = Variant(frame: frame, size: image.header.storedSize, layout: .rgba8, preference: .quality)
            let outcome = try outcome(of: image, variant)
            work.add(outcome.rows * variant.size.width, isComplete: outcome.failure == nil)
        }
        return work
    }

    private func checkFrameNumbers(of image: any OpenedImage) throws(ContractViolation) {
        let count = image.header.frameCount
        for frame in [-1, count, .max] {
            let variant = Variant(frame: frame, size: image.header.storedSize, layout: .rgba8, preference: .quality)
            let failure = Self.failure(of: image, variant, into: CheckingSink(rowBytes: 0, maximumRows: 0))
            // A truncated file may have had more frames.
            if frame >= count, failure == .truncated(decoder.format) { continue }
            try expect(
                failure == .noSuchFrame(frame, frameCount: count), "frame \(frame): \(String(describing: failure))")
        }
    }

    private func outcome(
        of image: any OpenedImage, _ variant: Variant, receivesImages: Bool = false
    ) throws(ContractViolation) -> Outcome {
        try expect(
            image.heldByteCount(frame: variant.frame, size: variant.size, layout: variant.layout) >= 0,
            "\(variant) needs less than 0 bytes")
        let sink = CheckingSink(
            rowBytes: variant.size.width * variant.layout.bytesPerPixel, maximumRows: variant.size.height,
            mustBeOpaque: !image.header.hasAlpha && variant.layout == .rgba8, receivesImages: receivesImages)
        let failure = Self.failure(of: image, variant, into: sink)
        if let violation = sink.violation { throw ContractViolation("\(variant): \(violation)") }
        if let failure {
            try expect(isAllowed(failure), "\(variant) must not throw \(failure)")
        } else {
            try expect(sink.rows == variant.size.height, "\(variant): \(sink.rows) rows and no error")
        }
        return Outcome(failure: failure, rows: sink.rows, digest: sink.digest)
    }

    /// Checks that a sink that throws in the middle of the image is not called again.
    private func checkStopping(
        of image: any OpenedImage, _ variant: Variant, _ outcome: Outcome
    ) throws(ContractViolation) {
        if outcome.rows == 0 { return }
        let sink = CheckingSink(
            rowBytes: variant.size.width * variant.layout.bytesPerPixel, maximumRows: variant.size.height,
            stopsAfter: outcome.rows / 2)
        let failure = Self.failure(of: image, variant, into: sink)
        if let violation = sink.violation { throw ContractViolation("\(variant), stopped: \(violation)") }
        try expect(failure == .cancelled, "\(variant), stopped: \(String(describing: failure))")
    }

    /// Checks that the middle of the image can be decoded if the whole can, with all its rows.
    private func checkPart(of image: any PartDecodableImage, _ whole: Outcome) throws(ContractViolation) {
        let size = image.header.storedSize
        let part = PixelArea(
            left: size.width / 3, top: size.height / 3, width: max(1, size.width / 3),
            height: max(1, size.height / 3))
        let sink = CheckingSink(rowBytes: part.width * PixelLayout.rgba8.bytesPerPixel, maximumRows: part.height)
        let failure = thrownError { () throws(ImageDecodingError) in
            try image.decode(part: part, layout: .rgba8, into: sink)
        }
        if let violation = sink.violation { throw ContractViolation("\(part): \(violation)") }
        if let failure {
            try expect(isAllowed(failure), "\(part) must not throw \(failure)")
            try expect(whole.failure != nil, "\(part) fails although the whole image doesn't: \(failure)")
        } else {
            try expect(sink.rows == part.height, "\(part): \(sink.rows) rows and no error")
        }
    }

    private static func failure(
        of image: any OpenedImage, _ variant: Variant, into sink: any PixelRowSink
    ) -> ImageDecodingError? {
        thrownError { () throws(ImageDecodingError) in
            try image.decode(
                frame: variant.frame, size: variant.size, layout: variant.layout, preference: variant.preference,
                into: sink)
        }
    }
}

extension HostileInputCheck.Work {
    fileprivate mutating func add(_ pixels: Int, isComplete: Bool) {
        self.pixels += pixels
        if isComplete { completeDecodes += 1 } else { failedDecodes += 1 }
    }
}

/// Checks each row and computes a digest of all rows. Doesn't store them.
final class CheckingSink: PixelRowSink {
    private(set) var rows = 0
    var digest: Int { hasher.finalize() }
    private var hasher = Hasher()
    /// The first violation.
    private(set) var violation: String?
    private let rowBytes: Int
    private let maximumRows: Int
    private let mustBeOpaque: Bool
    private let receivesImages: Bool
    private let stopsAfter: Int
    private var hasStopped = false

    init(
        rowBytes: Int, maximumRows: Int, mustBeOpaque: Bool = false, receivesImages: Bool = false,
        stopsAfter: Int = .max
    ) {
        self.rowBytes = rowBytes
        self.maximumRows = maximumRows
        self.mustBeOpaque = mustBeOpaque
        self.receivesImages = receivesImages
        self.stopsAfter = stopsAfter
    }

    func receive(_ row: Span<UInt8>) throws(ImageDecodingError) {
        if hasStopped { note("the sink is called again after it threw") }
        if rows == stopsAfter {
            hasStopped = true
            throw .cancelled
        }
        rows += 1
        if rows > maximumRows { note("row \(rows) of \(maximumRows)") }
        if row.count != rowBytes { return note("row \(rows) has \(row.count) bytes instead of \(rowBytes)") }
        take(row)
    }

    /// Checks the rows of a whole image like those that are delivered.
    func receiveImage(
        byteCount: Int, write: (inout [UInt8]) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) -> Bool {
        guard receivesImages else { return false }
        var image = [UInt8](repeating: 0xA5, count: byteCount)
        try write(&image)
        if rows > 0 || image.count != rowBytes * maximumRows {
            note("an image of \(image.count) bytes after \(rows) rows")
        }
        for start in stride(from: 0, to: image.count, by: max(1, rowBytes)) {
            try receive(image.span.extracting(start..<min(start + rowBytes, image.count)))
        }
        return true
    }

    private func take(_ row: Span<UInt8>) {
        unsafe row.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        guard mustBeOpaque else { return }
        for alpha in stride(from: 3, to: row.count, by: 4) where row[alpha] != 255 {
            return note("alpha \(row[alpha]) in row \(rows) of an image without alpha")
        }
    }

    private func note(_ violation: String) {
        if self.violation == nil { self.violation = violation }
    }
}
