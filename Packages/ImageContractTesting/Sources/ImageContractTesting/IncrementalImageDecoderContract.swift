public import ImageCore
import ImageTesting

/// The contract of `IncrementalImageDecoder` and `IncrementalImage`.
public enum IncrementalImageDecoderContract {
    /// A decoder, and valid images in its format.
    public struct Subject: Sendable {
        /// The decoder under test.
        public var decoder: any IncrementalImageDecoder
        /// Images of a few kilobytes with more than 8 rows, one of each kind: sequential, progressive, with and without
        /// alpha.
        public var samples: [ImageDecoderContract.Sample]

        /// Creates a subject from a decoder and valid images in its format.
        public init(_ decoder: any IncrementalImageDecoder, samples: [ImageDecoderContract.Sample]) {
            self.decoder = decoder
            self.samples = samples
        }
    }

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("an image has no header and no preview before it receives bytes") { subject in
            let image = subject.decoder.makeIncrementalImage(limits: .default)
            try expect(image.header == nil, "there is a header")
            try expect(image.extent == .nothing, "the extent is \(image.extent)")
        },
        ContractRule("the header has the size and format that opening the whole file returns") { subject in
            for sample in subject.samples {
                let image = try subject.image(of: sample.data, in: sample.data.count)
                let whole = try subject.decoder.open(sample.data, limits: .default).header
                try expect(image.header?.storedSize == whole.storedSize, "\(sample.name): another size")
                try expect(image.header?.format == whole.format, "\(sample.name): another format")
                try expect(image.header?.hasAlpha == whole.hasAlpha, "\(sample.name): another alpha")
            }
        },
        ContractRule("the last preview equals the decoded file, at each size that is offered") {
            subject in
            for sample in subject.samples {
                for divisor in [1, 2, 4, 8] {
                    let expected = try subject.wholeImage(sample, divisor: divisor)
                    let image = try subject.image(of: sample.data, in: 997, divisor: divisor)
                    let shown = try subject.preview(of: image)
                    try expect(shown == expected, "\(sample.name) at 1/\(divisor): other pixels")
                }
            }
        },
        ContractRule("a preview does not depend on how the bytes are split") { subject in
            for sample in subject.samples {
                var expected: [PreviewExtent: [[UInt8]]] = [:]
                for length in [sample.data.count, 1, 7, 64, 1000] {
                    try subject.feed(sample.data, in: length) { image in
                        guard image.extent != .nothing else { return }
                        let shown = try subject.preview(of: image)
                        let known = expected.updateValue(shown, forKey: image.extent)
                        try expect(
                            known == nil || known == shown,
                            "\(sample.name) in pieces of \(length): another preview at \(image.extent)")
                    }
                }
            }
        },
        ContractRule("a preview never shrinks, and has as many rows as its extent says") { subject in
            for sample in subject.samples {
                var last = PreviewExtent.nothing
                try subject.feed(sample.data, in: max(1, sample.data.count / 40)) { image in
                    let extent = image.extent
                    let grows =
                        extent.passes > last.passes || (extent.passes == last.passes && extent.rows >= last.rows)
                    try expect(grows, "\(sample.name): \(extent) after \(last)")
                    let rows = try subject.preview(of: image).count
                    try expect(rows == extent.rows, "\(sample.name): \(rows) rows at \(extent)")
                    last = extent
                }
                let height = sample.storedSize.height
                try expect(last.rows == height, "\(sample.name): \(last) of \(height) rows in the end")
            }
        },
        ContractRule("a part of the image is shown before all bytes have arrived") { subject in
            for sample in subject.samples {
                var early: PreviewExtent?
                try subject.feed(sample.data.dropLast(), in: max(1, sample.data.count / 40)) { image in
                    if image.extent.rows > 0 { early = early ?? image.extent }
                }
                try expect(early != nil, "\(sample.name): there is no preview one byte before the end")
            }
        },
        ContractRule("the same preview can be decoded twice") { subject in
            for sample in subject.samples {
                let image = try subject.image(of: sample.data.prefix(sample.data.count * 3 / 4), in: 100)
                try expect(
                    try subject.preview(of: image) == (try subject.preview(of: image)),
                    "\(sample.name): another preview")
            }
        },
        ContractRule("bytes after the end of the image are ignored") { subject in
            for sample in subject.samples {
                let image = try subject.image(of: sample.data, in: 50)
                if let failure = subject.failure(appending: Data(repeating: 0xA5, count: 300), to: image) {
                    throw ContractViolation("\(sample.name): \(failure)")
                }
                try expect(
                    try subject.preview(of: image) == (try subject.wholeImage(sample, divisor: 1)),
                    "\(sample.name): other pixels")
            }
        },
        ContractRule("decoding a preview stops with the error that the sink throws, and can be repeated") { subject in
            for sample in subject.samples {
                let image = try subject.image(of: sample.data, in: 500)
                let failure = subject.failure(of: image, into: CollectingRowSink(stopsAfter: 2))
                try expect(failure == .cancelled, "\(sample.name): \(String(describing: failure))")
                try expect(
                    try subject.preview(of: image) == (try subject.wholeImage(sample, divisor: 1)),
                    "\(sample.name): other pixels afterwards")
            }
        },
        ContractRule("an image that is too large fails as soon as its header has arrived") { subject in
            for sample in subject.samples {
                let image = subject.decoder.makeIncrementalImage(
                    limits: DecodingLimits(maxPixels: sample.storedSize.area - 1))
                let failure = subject.failure(appending: sample.data, to: image)
                guard case .limitExceeded(.pixels, _, _) = failure else {
                    throw ContractViolation("\(sample.name): \(String(describing: failure))")
                }
            }
        },
        ContractRule("a file with any wrong byte fails with a typed error, or its previews stay valid") { subject in
            for sample in subject.samples {
                for index in stride(from: 0, to: sample.data.count, by: max(1, sample.data.count / 100)) {
                    var data = sample.data
                    data[data.startIndex + index] ^= 0x5A
                    try subject.expectBoundedRows(data, "\(sample.name) with byte \(index) changed")
                }
            }
        },
    ]
}

extension IncrementalImageDecoderContract.Subject {
    /// Appends the data in pieces. Starts the previews when the header is available, and then calls `body` after each
    /// piece.
    fileprivate func feed(
        _ data: Data, in length: Int, divisor: Int = 1, to image: (any IncrementalImage)? = nil,
        body: (any IncrementalImage) throws -> Void
    ) throws {
        let image = image ?? decoder.makeIncrementalImage(limits: .default)
        var isStarted = false
        for offset in stride(from: 0, to: data.count, by: max(1, length)) {
            try image.append(Data(data.dropFirst(offset).prefix(length)))
            if !isStarted, let stored = image.header?.storedSize {
                try image.start(size: image.decodableSize(covering: stored.divided(by: divisor)), layout: .rgba8)
                isStarted = true
            }
            if isStarted { try body(image) }
        }
    }

    fileprivate func image(of data: Data, in length: Int, divisor: Int = 1) throws -> any IncrementalImage {
        let image = decoder.makeIncrementalImage(limits: .default)
        try feed(data, in: length, divisor: divisor, to: image) { _ in }
        return image
    }

    fileprivate func preview(of image: any IncrementalImage) throws(ImageDecodingError) -> [[UInt8]] {
        let sink = CollectingRowSink()
        try image.decodePreview(into: sink)
        return sink.rows
    }

    fileprivate func wholeImage(_ sample: ImageDecoderContract.Sample, divisor: Int) throws -> [[UInt8]] {
        let image = try decoder.open(sample.data, limits: .default)
        let size = image.decodableSize(covering: sample.storedSize.divided(by: divisor))
        let sink = CollectingRowSink()
        try image.decode(frame: 0, size: size, layout: .rgba8, into: sink)
        return sink.rows
    }

    fileprivate func failure(of image: any IncrementalImage, into sink: any PixelRowSink) -> ImageDecodingError? {
        do throws(ImageDecodingError) {
            try image.decodePreview(into: sink)
            return nil
        } catch {
            return error
        }
    }

    fileprivate func failure(appending data: Data, to image: any IncrementalImage) -> ImageDecodingError? {
        do throws(ImageDecodingError) {
            try image.append(data)
            return nil
        } catch {
            return error
        }
    }

    /// Checks that no preview has more rows than the image, and that each error is typed.
    fileprivate func expectBoundedRows(_ data: Data, _ name: String) throws {
        let limits = DecodingLimits(maxPixels: 250_000, decodedByteLimit: 64 << 20)
        do {
            try feed(data, in: 100, to: decoder.makeIncrementalImage(limits: limits)) { image in
                let rows = try preview(of: image).count
                let height = image.header?.storedSize.height ?? 0
                try expect(rows <= height, "\(name): \(rows) rows of \(height)")
            }
        } catch let failure as ImageDecodingError {
            try expect(failure != .cancelled, "\(name): it fails as cancelled, but nobody cancelled it")
        }
    }
}

extension PixelSize {
    /// Returns the size with each side divided, and at least 1.
    fileprivate func divided(by divisor: Int) -> PixelSize {
        PixelSize(width: max(1, width / divisor), height: max(1, height / divisor))
    }
}
