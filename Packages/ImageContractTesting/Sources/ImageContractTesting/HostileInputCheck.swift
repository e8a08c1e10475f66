public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Puts a decoder to bytes that may be anything, and looks at more than whether it survives.
///
/// For fuzzers, for files that once did harm, and for damage done on purpose: whatever the bytes, opening and decoding either
/// keep the promises of `ImageDecoder` and `OpenedImage` or throw one of the errors that these name. Each image is opened
/// twice and decoded in every way that it offers, in one order and in the other, and what comes must be the same.
public struct HostileInputCheck: Sendable {
    public var decoder: any ImageDecoder
    public var limits: DecodingLimits

    /// Small enough for many images a second: 256 Ki pixels, 32 frames, 16 MiB.
    public static let smallLimits = DecodingLimits(
        encodedBytes: 1 << 20, pixels: 1 << 18, side: 1 << 14, frames: 32, metadataBytes: 1 << 16,
        decodedBytes: 16 << 20, scans: 20)

    public init(_ decoder: any ImageDecoder, limits: DecodingLimits = smallLimits) {
        self.decoder = decoder
        self.limits = limits
    }

    /// What a decoder was made to do: a measure of its work that does not depend on the machine.
    public struct Work: Hashable, Sendable {
        /// Decodes that handed over the whole image.
        public var completeDecodes = 0
        /// Decodes that ended with an error.
        public var failedDecodes = 0
        /// Pixels handed over by all of them.
        public var pixels = 0
    }

    /// Throws `ContractViolation` when the decoder breaks a promise on these bytes.
    @discardableResult
    public func examine(_ data: Data) throws(ContractViolation) -> Work {
        for count in [0, 1, 32] { _ = decoder.recognises(Data(data.prefix(count))) }
        guard let (first, second) = try openedTwice(data) else { return Work() }
        try examine(first.header)
        try expect(first.header == second.header, "two headers of the same bytes: \(first.header), \(second.header)")
        try examineThumbnails(of: first, and: second, in: data)
        try examineSizes(of: first)
        return try examineDecoding(of: first, and: second)
    }

    /// As `examine`, but opens once and decodes the first and the last frame once: for damage at every byte of a file.
    @discardableResult
    public func examineBriefly(_ data: Data) throws(ContractViolation) -> Work {
        switch opened(data) {
        case .success(let image):
            try examine(image.header)
            return try examineBriefDecoding(of: image)
        case .failure(let failure):
            try expect(isAllowed(failure), "opening must not throw \(failure)")
            return Work()
        }
    }

    /// The image, opened twice; nil when it is refused both times, for the same reason.
    private func openedTwice(
        _ data: Data
    ) throws(ContractViolation) -> (any OpenedImage, any OpenedImage)? {
        switch (opened(data), opened(data)) {
        case (.success(let first), .success(let second)): return (first, second)
        case (.failure(let first), .failure(let second)):
            try expect(first == second, "opened twice: \(first), \(second)")
            try expect(isAllowed(first), "opening must not throw \(first)")
            return nil
        case (let first, let second): throw ContractViolation("opened twice: \(first), \(second)")
        }
    }

    private func opened(_ data: Data) -> Result<any OpenedImage, DecodingFailure> {
        Result { () throws(DecodingFailure) in try decoder.open(data, limits: limits) }
    }

    /// Whether the ports' documentation lets this error out.
    func isAllowed(_ failure: DecodingFailure) -> Bool {
        switch failure {
        case .malformed(let format, _), .truncated(let format), .unsupported(let format, _): format == decoder.format
        case .limitExceeded(_, let value, let allowed): value > allowed
        case .unknownFormat, .noSuchFrame, .cancelled: false
        }
    }

    private func examine(_ header: ImageHeader) throws(ContractViolation) {
        let size = header.storedSize
        try expect(header.format == decoder.format, "a header of \(header.format) from a decoder of \(decoder.format)")
        try expect(size.width > 0 && size.height > 0, "an empty image of \(size)")
        try expect(size.area <= limits.pixels, "\(size) opened where \(limits.pixels) pixels are allowed")
        try expect(
            max(size.width, size.height) <= limits.side, "\(size) opened where a side of \(limits.side) is allowed")
        try expect(
            (1...limits.frames).contains(header.frameCount), "\(header.frameCount) frames, \(limits.frames) allowed")
        let delays = header.frameCount == 1 ? 0 : header.frameCount
        try expect(
            header.frameDelays.count == delays, "\(header.frameDelays.count) delays, \(header.frameCount) frames")
        try expect(header.loopCount >= 0, "played \(header.loopCount) times")
        try expect(header.colorProfile?.count ?? 0 <= limits.metadataBytes, "a profile above the limit")
    }

    private func examineThumbnails(
        of first: any OpenedImage, and second: any OpenedImage, in data: Data
    ) throws(ContractViolation) {
        let thumbnail = first.embeddedThumbnail
        try expect(thumbnail == second.embeddedThumbnail, "two thumbnails of the same bytes")
        try expect(thumbnail?.count ?? 0 <= data.count, "a thumbnail larger than the file")
    }

    /// Sizes that are asked for, from more than there is to less than a pixel.
    static func targets(in size: PixelSize) -> [PixelSize] {
        let halves = [1, 2, 3, 8].map {
            PixelSize(width: max(1, size.width / $0), height: max(1, size.height / $0))
        }
        return halves + [PixelSize(width: 1, height: 1), PixelSize(width: size.width + 1, height: 1)]
    }

    private func examineSizes(of image: any OpenedImage) throws(ContractViolation) {
        let stored = image.header.storedSize
        for target in Self.targets(in: stored) + [PixelSize(width: .max, height: .max), PixelSize(width: 0, height: 0)]
        {
            let offered = image.decodableSize(covering: target)
            try expect(
                (1...stored.width).contains(offered.width) && (1...stored.height).contains(offered.height),
                "offers \(offered) of \(stored) for \(target)")
            try expect(
                offered.width >= min(target.width, stored.width) && offered.height >= min(target.height, stored.height),
                "\(offered) does not cover \(target), nor is it all of \(stored)")
        }
    }
}
