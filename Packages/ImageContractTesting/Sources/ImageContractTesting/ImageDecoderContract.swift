public import ImageCore
import ImageTesting

/// The contract of `ImageDecoder` and `OpenedImage`.
public enum ImageDecoderContract {
    /// A decoder, and valid images in its format.
    public struct Subject: Sendable {
        /// The decoder under test.
        public var decoder: any ImageDecoder
        /// Images of a few kilobytes: at least one still image, and one animation if the format has them.
        public var samples: [Sample]

        /// Creates a subject from a decoder and valid images in its format.
        public init(_ decoder: any ImageDecoder, samples: [Sample]) {
            self.decoder = decoder
            self.samples = samples
        }
    }

    /// A valid file and the expected values of its header.
    public struct Sample: Sendable {
        /// The name of the file in the messages of violations.
        public var name: String
        /// The bytes of the file.
        public var data: Data
        /// The expected size, before the orientation is applied.
        public var storedSize: PixelSize
        /// The expected number of frames.
        public var frameCount: Int
        /// The expected pixels of the first frame, in straight RGBA from the top. Nil to skip the rule about them.
        public var pixels: [UInt8]?

        /// Creates a sample from a file and the expected values of its header.
        public init(
            _ name: String, _ data: Data, storedSize: PixelSize, frameCount: Int = 1, pixels: [UInt8]? = nil
        ) {
            self.name = name
            self.data = data
            self.storedSize = storedSize
            self.frameCount = frameCount
            self.pixels = pixels
        }
    }

    /// All rules.
    public static let rules: [ContractRule<Subject>] = headerRules + rowRules + damageRules

    private static let headerRules: [ContractRule<Subject>] = [
        ContractRule("the decoder recognizes its own images by their first 32 bytes") { subject in
            for sample in subject.samples {
                try expect(subject.decoder.recognizes(Data(sample.data.prefix(32))), "\(sample.name) is not recognized")
            }
        },
        ContractRule("the decoder recognizes neither too few bytes nor other formats") { subject in
            try expect(!subject.decoder.recognizes(Data()), "empty data is recognized")
            try expect(!subject.decoder.recognizes(Data(count: 32)), "zeros are recognized")
            for (format, signature) in foreignSignatures where format != subject.decoder.format {
                try expect(!subject.decoder.recognizes(signature), "\(format) is recognized")
            }
            for sample in subject.samples {
                for count in 0...32 { _ = subject.decoder.recognizes(Data(sample.data.prefix(count))) }
            }
        },
        ContractRule("the header has the format, the stored size and the number of frames") { subject in
            for sample in subject.samples {
                let header = try subject.decoder.open(sample.data, limits: .default).header
                try expect(header.format == subject.decoder.format, "\(sample.name): format \(header.format)")
                try expect(header.storedSize == sample.storedSize, "\(sample.name): size \(header.storedSize)")
                try expect(header.frameCount == sample.frameCount, "\(sample.name): \(header.frameCount) frames")
                let delays = sample.frameCount == 1 ? 0 : sample.frameCount
                try expect(header.frameDelays.count == delays, "\(sample.name): \(header.frameDelays.count) delays")
            }
        },
        ContractRule("the decoder reads a slice of larger data") { subject in
            for sample in subject.samples {
                let slice = (Data([1, 2, 3]) + sample.data).dropFirst(3)
                try expect(subject.decoder.recognizes(slice.prefix(32)), "\(sample.name): the slice is not recognized")
                let (whole, part) = (try subject.pixels(of: sample.data), try subject.pixels(of: slice))
                try expect(whole == part, "\(sample.name): other pixels from a slice")
            }
        },
        ContractRule("opening an image with too many pixels, too long a side or too many frames fails") { subject in
            for sample in subject.samples {
                let (size, frameCount) = (sample.storedSize, sample.frameCount)
                var limits = [
                    (DecodingLimits(maxPixels: size.area - 1), DecodingLimit.pixels),
                    (DecodingLimits(maxSide: max(size.width, size.height) - 1), .side),
                ]
                if frameCount > 1 { limits.append((DecodingLimits(maxFrames: frameCount - 1), .frames)) }
                for (limits, limit) in limits {
                    try subject.expectLimitFailure(of: sample, limits: limits, by: limit)
                }
            }
        },
        ContractRule("metadata above the limit is ignored, and opening succeeds") { subject in
            for sample in subject.samples {
                let limits = DecodingLimits(metadataByteLimit: 0)
                if let failure = subject.openingFailure(of: sample.data, limits: limits) {
                    throw ContractViolation("\(sample.name): \(failure)")
                }
                let image = try subject.decoder.open(sample.data, limits: limits)
                try expect(image.header.colorProfile == nil, "\(sample.name): a profile above the limit")
            }
        },
        ContractRule("opening data that is not an image fails as malformed or truncated") { subject in
            for data in [Data(), Data([0]), Data(count: 100), Data("<html><body>not found</body></html>".utf8)] {
                switch subject.openingFailure(of: data) {
                case .malformed, .truncated: break
                case let other:
                    throw ContractViolation("\(data.count) bytes that are not an image: \(String(describing: other))")
                }
            }
        },
    ]

    private static let rowRules: [ContractRule<Subject>] = [
        ContractRule("an image decodes at each size and in each layout that it offers, in any order, as promised") {
            subject in
            for sample in subject.samples {
                let check = HostileInputCheck(subject.decoder, limits: .default)
                let work = try naming(sample.name) { () throws(ContractViolation) in try check.work(on: sample.data) }
                try expect(work.completeDecodes > 0 && work.failedDecodes == 0, "\(sample.name): \(work)")
            }
        },
        ContractRule("the pixels are those of the file, in straight RGBA from the top") { subject in
            for sample in subject.samples {
                guard let expected = sample.pixels else { continue }
                let found = try subject.pixels(of: sample.data)
                if let difference = Difference.bytes(found, expected: expected) {
                    throw ContractViolation("\(sample.name): \(difference)")
                }
            }
        },
        ContractRule("an image can be opened and decoded concurrently") { subject in
            for sample in subject.samples {
                let expected = try subject.pixels(of: sample.data)
                try await withThrowingTaskGroup(of: [UInt8].self) { group in
                    for _ in 0..<8 { group.addTask { try subject.pixels(of: sample.data) } }
                    for try await pixels in group {
                        try expect(pixels == expected, "\(sample.name): other pixels at the same time")
                    }
                }
            }
        },
    ]

    private static let damageRules: [ContractRule<Subject>] = [
        ContractRule("half of a file fails as truncated") { subject in
            for sample in subject.samples {
                let half = sample.data.prefix(sample.data.count / 2)
                let failure = thrownError { () throws(ImageDecodingError) in
                    _ = try subject.pixels(of: half, frame: sample.frameCount - 1)
                }
                try expect(
                    failure == .truncated(subject.decoder.format), "\(sample.name): \(String(describing: failure))")
            }
        },
        ContractRule("a file that is cut or changed anywhere decodes completely or fails with a typed error") {
            subject in
            // Damage in the size field can make the image huge. These limits keep the rule short.
            let limits = DecodingLimits(maxPixels: 250_000, maxFrames: 100, decodedByteLimit: 64 << 20)
            let check = HostileInputCheck(subject.decoder, limits: limits)
            for sample in subject.samples {
                for index in stride(from: 0, to: sample.data.count, by: max(1, sample.data.count / 200)) {
                    try naming("\(sample.name) cut to \(index) bytes") { () throws(ContractViolation) in
                        try check.checkBriefly(sample.data.prefix(index))
                    }
                    for mask in [UInt8(0xFF), 0x01, 0x80] {
                        var data = sample.data
                        data[data.startIndex + index] ^= mask
                        try naming("\(sample.name) with byte \(index) changed") { () throws(ContractViolation) in
                            try check.checkBriefly(data)
                        }
                    }
                }
            }
        },
    ]

    /// Adds the name of a file to a violation.
    private static func naming<Result>(
        _ name: String, _ check: () throws(ContractViolation) -> Result
    ) throws(ContractViolation) -> Result {
        do throws(ContractViolation) { return try check() } catch { throw ContractViolation("\(name): \(error)") }
    }

    /// The first bytes of files that are not in the subject's format.
    private static let foreignSignatures: [(ImageFormat, Data)] = [
        (.jpeg, Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0]) + Data(count: 21)),
        (.png, Data([0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]) + Data(count: 16)),
        (.gif, Data("GIF89a".utf8) + Data(count: 26)),
        (.webP, Data("RIFF".utf8) + Data([20, 0, 0, 0]) + Data("WEBPVP8 ".utf8) + Data(count: 16)),
        (
            ImageFormat(rawValue: "wave"),
            Data("RIFF".utf8) + Data([20, 0, 0, 0]) + Data("WAVEfmt ".utf8) + Data(count: 16)
        ),
        (ImageFormat(rawValue: "html"), Data("<!doctype html><html><head><titl".utf8)),
    ]
}
