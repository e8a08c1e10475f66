public import ImageCore
import ImageTesting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The promises of `IncrementalImageDecoder` and `IncrementalImage`.
public enum IncrementalImageDecoderContract {
    /// A decoder and valid images in its format, small (some kilobytes), higher than 8 rows: of each kind that the format
    /// has (sequential, progressive, with and without alpha).
    public struct Subject: Sendable {
        public var decoder: any IncrementalImageDecoder
        public var samples: [ImageDecoderContract.Sample]

        public init(_ decoder: any IncrementalImageDecoder, samples: [ImageDecoderContract.Sample]) {
            self.decoder = decoder
            self.samples = samples
        }
    }

    public static let rules: [ContractRule<Subject>] = [
        ContractRule("knows and shows nothing before bytes have come") { subject in
            let image = subject.decoder.makeIncrementalImage(limits: .default)
            try expect(image.header == nil, "a header from nothing")
            try expect(image.extent == .nothing, "\(image.extent) from nothing")
        },
        ContractRule("comes to know the size and format that opening the whole file tells") { subject in
            for sample in subject.samples {
                let image = try subject.image(of: sample.data, in: sample.data.count)
                let whole = try subject.decoder.open(sample.data, limits: .default).header
                try expect(image.header?.storedSize == whole.storedSize, "\(sample.name): another size")
                try expect(image.header?.format == whole.format, "\(sample.name): another format")
                try expect(image.header?.hasAlpha == whole.hasAlpha, "\(sample.name): another alpha")
            }
        },
        ContractRule("shows, when all has come, what decoding the whole file gives, at each size it offers") {
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
        ContractRule("shows the same however the bytes are cut") { subject in
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
        ContractRule("never shows less than before, and hands over as many rows as it says") { subject in
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
        ContractRule("shows part of an image before all of it has come") { subject in
            for sample in subject.samples {
                var early: PreviewExtent?
                try subject.feed(sample.data.dropLast(), in: max(1, sample.data.count / 40)) { image in
                    if image.extent.rows > 0 { early = early ?? image.extent }
                }
                try expect(early != nil, "\(sample.name): nothing to be seen one byte before the end")
            }
        },
        ContractRule("may be asked for the same preview twice") { subject in
            for sample in subject.samples {
                let image = try subject.image(of: sample.data.prefix(sample.data.count * 3 / 4), in: 100)
                try expect(
                    try subject.preview(of: image) == (try subject.preview(of: image)),
                    "\(sample.name): another preview")
            }
        },
        ContractRule("ignores bytes behind the end") { subject in
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
        ContractRule("stops with the error that the sink throws, and can go on") { subject in
            for sample in subject.samples {
                let image = try subject.image(of: sample.data, in: 500)
                let failure = subject.failure(of: image, into: CollectingRowSink(stopsAfter: 2))
                try expect(failure == .cancelled, "\(sample.name): \(String(describing: failure))")
                try expect(
                    try subject.preview(of: image) == (try subject.wholeImage(sample, divisor: 1)),
                    "\(sample.name): other pixels afterwards")
            }
        },
        ContractRule("refuses too large an image as soon as the header tells") { subject in
            for sample in subject.samples {
                let image = subject.decoder.makeIncrementalImage(
                    limits: DecodingLimits(pixels: sample.storedSize.area - 1))
                let failure = subject.failure(appending: sample.data, to: image)
                guard case .limitExceeded(.pixels, _, _) = failure else {
                    throw ContractViolation("\(sample.name): \(String(describing: failure))")
                }
            }
        },
        ContractRule("ends with a typed error or goes on, whichever byte is wrong") { subject in
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
    /// Hands bytes over in pieces, starts as soon as the header is there, and calls `look` after each piece from then on.
    fileprivate func feed(
        _ data: Data, in length: Int, divisor: Int = 1, to image: (any IncrementalImage)? = nil,
        look: (any IncrementalImage) throws -> Void
    ) throws {
        let image = image ?? decoder.makeIncrementalImage(limits: .default)
        var isStarted = false
        for offset in stride(from: 0, to: data.count, by: max(1, length)) {
            try image.append(Data(data.dropFirst(offset).prefix(length)))
            if !isStarted, let stored = image.header?.storedSize {
                try image.start(size: image.decodableSize(covering: stored.divided(by: divisor)), layout: .rgba8)
                isStarted = true
            }
            if isStarted { try look(image) }
        }
    }

    fileprivate func image(of data: Data, in length: Int, divisor: Int = 1) throws -> any IncrementalImage {
        let image = decoder.makeIncrementalImage(limits: .default)
        try feed(data, in: length, divisor: divisor, to: image) { _ in }
        return image
    }

    fileprivate func preview(of image: any IncrementalImage) throws(DecodingFailure) -> [[UInt8]] {
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

    fileprivate func failure(of image: any IncrementalImage, into sink: any PixelRowSink) -> DecodingFailure? {
        do throws(DecodingFailure) {
            try image.decodePreview(into: sink)
            return nil
        } catch {
            return error
        }
    }

    fileprivate func failure(appending data: Data, to image: any IncrementalImage) -> DecodingFailure? {
        do throws(DecodingFailure) {
            try image.append(data)
            return nil
        } catch {
            return error
        }
    }

    /// Never more rows than the image has, and no error that is not typed.
    fileprivate func expectBoundedRows(_ data: Data, _ name: String) throws {
        let limits = DecodingLimits(pixels: 250_000, decodedBytes: 64 << 20)
        do {
            try feed(data, in: 100, to: decoder.makeIncrementalImage(limits: limits)) { image in
                let rows = try preview(of: image).count
                let height = image.header?.storedSize.height ?? 0
                try expect(rows <= height, "\(name): \(rows) rows of \(height)")
            }
        } catch let failure as DecodingFailure {
            try expect(failure != .cancelled, "\(name): cancelled by nobody")
        }
    }
}

extension PixelSize {
    /// Each side divided, at least 1.
    fileprivate func divided(by divisor: Int) -> PixelSize {
        PixelSize(width: max(1, width / divisor), height: max(1, height / divisor))
    }
}
