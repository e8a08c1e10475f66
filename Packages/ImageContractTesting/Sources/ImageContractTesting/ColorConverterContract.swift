public import ImageCore
import ImageTesting

/// The contract of `ColorConverter`.
public enum ColorConverterContract {
    /// A converter and samples.
    public struct Subject: Sendable {
        /// The converter under test.
        public var converter: any ColorConverter
        /// Colors of files with converted pixels.
        public var samples: [Sample]

        /// Creates a subject from a converter and samples that it supports.
        public init(_ converter: any ColorConverter, samples: [Sample]) {
            self.converter = converter
            self.samples = samples
        }
    }

    /// The color of a file, a pixel of it, and the same pixel in a color space.
    public struct Sample: Sendable {
        /// The color of the file.
        public var color: SourceColor
        /// The layout of the pixel.
        public var layout: PixelLayout
        /// The pixel, in `layout.bytesPerPixel` bytes.
        public var pixel: [UInt8]
        /// The color space of the result.
        public var space: ColorSpace
        /// The pixel in `space`, as straight RGBA.
        public var expected: [UInt8]
        /// The largest difference of a color channel, in levels of 0...255. Alpha must be exact.
        public var tolerance: Int

        /// Creates a sample, by default for a conversion to sRGB.
        public init(
            _ color: SourceColor, layout: PixelLayout = .rgba8, pixel: [UInt8], space: ColorSpace = .sRGB,
            expected: [UInt8], tolerance: Int
        ) {
            self.color = color
            self.layout = layout
            self.pixel = pixel
            self.space = space
            self.expected = expected
            self.tolerance = tolerance
        }

        fileprivate var profile: Data? { color.profile }
    }

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("the converter ignores data that is not a profile") { subject in
            for data in [Data(), Data([0]), Data(count: 500), Data("not a profile, but long enough to be one".utf8)] {
                for layout in [PixelLayout.rgba8, .gray8, .grayAlpha8, .cmyk8] {
                    let stage = subject.stage(profile: data, layout: layout, width: 1, next: CollectingRowSink())
                    try expect(stage == nil, "\(data.count) bytes are accepted as a profile of \(layout)")
                }
            }
        },
        ContractRule("the converter ignores a profile for another layout") { subject in
            for sample in subject.samples {
                guard let profile = sample.profile else { continue }
                for layout in [PixelLayout.rgba8, .gray8, .cmyk8] where layout.model != sample.layout.model {
                    let stage = subject.stage(
                        profile: profile, layout: layout, width: 1, next: CollectingRowSink())
                    try expect(stage == nil, "a profile of \(sample.layout) is accepted for \(layout)")
                }
            }
        },
        ContractRule("the converter keeps the pixels of files in the color space of the result") { subject in
            for space in ColorSpace.allCases {
                let color = SourceColor(primaries: space.primaries, transfer: space.transfer)
                let stage = subject.converter.makeStage(
                    from: color, layout: .rgba8, to: space, width: 1, next: CollectingRowSink())
                try expect(stage == nil, "\(space) is converted to itself")
            }
        },
        ContractRule("the converter has a gamut for exactly the colors that it applies") { subject in
            for sample in subject.samples {
                let gamut = subject.converter.gamut(of: sample.color, layout: sample.layout)
                try expect(gamut != nil, "\(sample.layout) \(sample.pixel) has no gamut")
            }
            let unknown = SourceColor(profile: Data("not a profile".utf8))
            try expect(subject.converter.gamut(of: unknown, layout: .rgba8) == nil, "unknown data has a gamut")
        },
        ContractRule("the converter converts pixels to the color space") { subject in
            for sample in subject.samples {
                for width in [1, 3, 100] {
                    for pixel in try subject.pixels(of: sample, width: width, rowCount: 1) {
                        let error = zip(pixel, sample.expected).prefix(3).map { abs(Int($0) - Int($1)) }.max() ?? 255
                        try expect(
                            error <= sample.tolerance,
                            "\(sample.layout) \(sample.pixel) became \(pixel), not \(sample.expected)")
                    }
                }
            }
        },
        ContractRule("the converter preserves alpha") { subject in
            for sample in subject.samples where sample.layout == .rgba8 || sample.layout == .grayAlpha8 {
                for alpha in [UInt8(0), 1, 128, 254, 255] {
                    var changed = sample
                    changed.pixel[sample.layout.bytesPerPixel - 1] = alpha
                    let pixels = try subject.pixels(of: changed, width: 5, rowCount: 1)
                    try expect(pixels.allSatisfy { $0[3] == alpha }, "alpha \(alpha) became \(pixels[0][3])")
                }
            }
            for sample in subject.samples where sample.layout == .gray8 || sample.layout == .cmyk8 {
                let pixels = try subject.pixels(of: sample, width: 5, rowCount: 1)
                try expect(pixels.allSatisfy { $0[3] == 255 }, "a pixel without alpha got \(pixels[0][3])")
            }
        },
        ContractRule("the converter passes on each row once, at its full length") { subject in
            for sample in subject.samples {
                let sink = CollectingRowSink()
                try subject.run(sample, width: 17, rowCount: 6, into: sink)
                try expect(sink.rows.count == 6, "\(sink.rows.count) rows of 6")
                try expect(sink.rows.allSatisfy { $0.count == 17 * 4 }, "rows of another length")
            }
        },
        ContractRule("the converter converts all rows in the same way") { subject in
            for sample in subject.samples {
                let pixels = try subject.pixels(of: sample, width: 9, rowCount: 9)
                try expect(Set(pixels).count == 1, "one color became \(Set(pixels).count)")
            }
        },
        ContractRule("the converter rethrows the error of the next stage") { subject in
            for sample in subject.samples {
                let failure = subject.failure(of: sample, into: CollectingRowSink(stopsAfter: 2))
                try expect(failure == .cancelled, "the error was swallowed")
            }
        },
        ContractRule("the converter ignores a truncated profile, or converts each row with it") { subject in
            for sample in subject.samples {
                guard let profile = sample.profile else { continue }
                for count in stride(from: 0, to: profile.count, by: max(1, profile.count / 100)) {
                    let cut = Data(profile.prefix(count))
                    let sink = CollectingRowSink()
                    guard let stage = subject.stage(profile: cut, layout: sample.layout, width: 1, next: sink)
                    else { continue }
                    try stage.receive(sample.pixel.span)
                    try expect(sink.rows.count == 1, "\(count) bytes of a profile: \(sink.rows.count) rows of 1")
                }
            }
        },
    ]
}

extension PixelLayout {
    /// The number of channels of the color model, without alpha.
    fileprivate var model: Int {
        switch self {
        case .gray8, .grayAlpha8: 1
        case .rgba8, .rgba16: 3
        case .cmyk8: 4
        }
    }
}

extension ColorConverterContract.Subject {
    fileprivate func stage(
        profile: Data, layout: PixelLayout, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        converter.makeStage(from: SourceColor(profile: profile), layout: layout, to: .sRGB, width: width, next: next)
    }

    fileprivate func run(
        _ sample: ColorConverterContract.Sample, width: Int, rowCount: Int, into sink: CollectingRowSink
    ) throws {
        let stage = converter.makeStage(
            from: sample.color, layout: sample.layout, to: sample.space, width: width, next: sink)
        guard let stage else { throw ContractViolation("\(sample.color) for \(sample.layout) was ignored") }
        let row = Array(repeatElement(sample.pixel, count: width).joined())
        for _ in 0..<rowCount { try stage.receive(row.span) }
    }

    fileprivate func pixels(
        of sample: ColorConverterContract.Sample, width: Int, rowCount: Int
    ) throws -> [[UInt8]] {
        let sink = CollectingRowSink()
        try run(sample, width: width, rowCount: rowCount, into: sink)
        let pixels = sink.pixels
        try expect(pixels.count == width * rowCount * 4, "\(pixels.count) bytes of \(width * rowCount) pixels")
        return stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<$0 + 4]) }
    }

    fileprivate func failure(
        of sample: ColorConverterContract.Sample, into sink: CollectingRowSink
    ) -> DecodingFailure? {
        do {
            try run(sample, width: 4, rowCount: 4, into: sink)
            return nil
        } catch {
            return error as? DecodingFailure
        }
    }
}
