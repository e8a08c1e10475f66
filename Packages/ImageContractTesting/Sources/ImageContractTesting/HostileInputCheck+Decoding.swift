import ImageCore

extension HostileInputCheck {
    /// One way of decoding an image.
    private struct Way: Hashable, CustomStringConvertible {
        var frame: Int
        var size: PixelSize
        var layout: PixelLayout
        var preference: DecodingPreference

        var description: String { "frame \(frame) at \(size) in \(layout) for \(preference)" }
    }

    /// How a decode ended, and all that it handed over.
    private struct Outcome: Hashable {
        var failure: DecodingFailure?
        var rows: Int
        var digest: Int
    }

    /// All that the image offers: its own size and the sizes below, the native layout, both preferences, a late frame.
    private func ways(of image: any OpenedImage) -> [Way] {
        let header = image.header
        let sizes = [header.storedSize] + Self.targets(in: header.storedSize).map(image.decodableSize(covering:))
        var ways: [Way] = []
        for size in sizes {
            for layout in [.rgba8, header.nativeLayout] {
                for preference in DecodingPreference.allCases {
                    ways.append(Way(frame: 0, size: size, layout: layout, preference: preference))
                }
            }
        }
        let late = header.frameCount - 1
        for size in [header.storedSize, sizes.last ?? header.storedSize] {
            ways.append(Way(frame: late, size: size, layout: .rgba8, preference: .quality))
        }
        return ways.reduce(into: []) { distinct, way in if !distinct.contains(way) { distinct.append(way) } }
    }

    func examineDecoding(of first: any OpenedImage, and second: any OpenedImage) throws(ContractViolation) -> Work {
        try examineFrameNumbers(of: first)
        let ways = ways(of: first)
        var (work, outcomes) = (Work(), [Way: Outcome]())
        for way in ways {
            let outcome = try outcome(of: first, way)
            outcomes[way] = outcome
            work.add(outcome.rows * way.size.width, isComplete: outcome.failure == nil)
        }
        for way in ways.reversed() {
            let outcome = try outcome(of: second, way)
            work.add(outcome.rows * way.size.width, isComplete: outcome.failure == nil)
            // How much of a broken file is handed over may depend on what was decoded before.
            let isBroken = outcome.failure != nil && outcomes[way]?.failure == outcome.failure
            try expect(
                isBroken || outcomes[way] == outcome,
                "\(way), the same bytes twice: \(String(describing: outcomes[way])), \(outcome)")
        }
        if let way = ways.first, let outcome = outcomes[way] { try examineStopping(of: first, way, outcome) }
        return work
    }

    func examineBriefDecoding(of image: any OpenedImage) throws(ContractViolation) -> Work {
        var work = Work()
        for frame in Set([0, image.header.frameCount - 1]).sorted() {
            let way = Way(frame: frame, size: image.header.storedSize, layout: .rgba8, preference: .quality)
            let outcome = try outcome(of: image, way)
            work.add(outcome.rows * way.size.width, isComplete: outcome.failure == nil)
        }
        return work
    }

    private func examineFrameNumbers(of image: any OpenedImage) throws(ContractViolation) {
        let count = image.header.frameCount
        for frame in [-1, count, .max] {
            let way = Way(frame: frame, size: image.header.storedSize, layout: .rgba8, preference: .quality)
            let failure = Self.failure(of: image, way, into: ExaminingSink(rowBytes: 0, maximumRows: 0))
            // A file that ends too early may have had more frames.
            if frame >= count, failure == .truncated(decoder.format) { continue }
            try expect(
                failure == .noSuchFrame(frame, frameCount: count), "frame \(frame): \(String(describing: failure))")
        }
    }

    private func outcome(of image: any OpenedImage, _ way: Way) throws(ContractViolation) -> Outcome {
        try expect(
            image.heldBytes(frame: way.frame, size: way.size, layout: way.layout) >= 0, "\(way) holds less than 0")
        let sink = ExaminingSink(
            rowBytes: way.size.width * way.layout.bytesPerPixel, maximumRows: way.size.height,
            mustBeOpaque: !image.header.hasAlpha && way.layout == .rgba8)
        let failure = Self.failure(of: image, way, into: sink)
        if let violation = sink.violation { throw ContractViolation("\(way): \(violation)") }
        if let failure {
            try expect(isAllowed(failure), "\(way) must not throw \(failure)")
        } else {
            try expect(sink.rows == way.size.height, "\(way): \(sink.rows) rows and no error")
        }
        return Outcome(failure: failure, rows: sink.rows, digest: sink.digest)
    }

    /// A sink that has had enough in the middle of the image is not called again.
    private func examineStopping(
        of image: any OpenedImage, _ way: Way, _ outcome: Outcome
    ) throws(ContractViolation) {
        if outcome.rows == 0 { return }
        let sink = ExaminingSink(
            rowBytes: way.size.width * way.layout.bytesPerPixel, maximumRows: way.size.height,
            stopsAfter: outcome.rows / 2)
        let failure = Self.failure(of: image, way, into: sink)
        if let violation = sink.violation { throw ContractViolation("\(way), stopped: \(violation)") }
        try expect(failure == .cancelled, "\(way), stopped: \(String(describing: failure))")
    }

    private static func failure(
        of image: any OpenedImage, _ way: Way, into sink: any PixelRowSink
    ) -> DecodingFailure? {
        do throws(DecodingFailure) {
            try image.decode(
                frame: way.frame, size: way.size, layout: way.layout, preference: way.preference, into: sink)
            return nil
        } catch {
            return error
        }
    }
}

extension HostileInputCheck.Work {
    fileprivate mutating func add(_ pixels: Int, isComplete: Bool) {
        self.pixels += pixels
        if isComplete { completeDecodes += 1 } else { failedDecodes += 1 }
    }
}

/// Keeps no rows, but checks each and remembers a digest of all.
final class ExaminingSink: PixelRowSink {
    private(set) var rows = 0
    var digest: Int { hasher.finalize() }
    private var hasher = Hasher()
    /// The first thing that was wrong.
    private(set) var violation: String?
    private let rowBytes: Int
    private let maximumRows: Int
    private let mustBeOpaque: Bool
    private let stopsAfter: Int
    private var hasStopped = false

    init(rowBytes: Int, maximumRows: Int, mustBeOpaque: Bool = false, stopsAfter: Int = .max) {
        self.rowBytes = rowBytes
        self.maximumRows = maximumRows
        self.mustBeOpaque = mustBeOpaque
        self.stopsAfter = stopsAfter
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        if hasStopped { note("called again after it had thrown") }
        if rows == stopsAfter {
            hasStopped = true
            throw .cancelled
        }
        rows += 1
        if rows > maximumRows { note("row \(rows) of \(maximumRows)") }
        if row.count != rowBytes { return note("row \(rows) has \(row.count) bytes instead of \(rowBytes)") }
        take(row)
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
