public import ImageCore

/// Checks a decoder with arbitrary bytes.
///
/// Use it in fuzzers, and in tests with damaged or malicious files. Opening and decoding must keep the promises of
/// `ImageDecoder` and `OpenedImage`, or throw an error that these document. Each image is opened twice and decoded at
/// all sizes that it offers, in both orders: first row by row, then into a sink that receives whole images. The results
/// must be the same.
public struct HostileInputCheck: Sendable {
    let decoder: any ImageDecoder
    let limits: DecodingLimits

    /// Limits that allow many images per second: 256 Ki pixels, 32 frames, 16 MiB of decoded bytes.
    public static let smallLimits = DecodingLimits(
        encodedByteLimit: 1 << 20, maxPixels: 1 << 18, maxSide: 1 << 14, maxFrames: 32, metadataByteLimit: 1 << 16,
        decodedByteLimit: 16 << 20, maxScans: 20)

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - decoder: The decoder under test.
    ///   - limits: The limits that the decoder must respect.
    public init(_ decoder: any ImageDecoder, limits: DecodingLimits = smallLimits) {
        self.decoder = decoder
        self.limits = limits
    }

    /// The work of a decoder, in units that don't depend on the machine.
    struct Work: Hashable {
        /// The number of decodes that produced a whole image.
        var completeDecodes = 0
        /// The number of decodes that failed.
        var failedDecodes = 0
        /// The number of pixels that all decodes produced.
        var pixels = 0
    }

    /// Checks a decoder with these bytes.
    ///
    /// - Throws: `ContractViolation` if the decoder breaks a promise.
    public func check(_ data: Data) throws(ContractViolation) { _ = try work(on: data) }

    /// Checks a decoder with these bytes as `check` does, but opens them once and decodes only the first and the last
    /// frame.
    ///
    /// Use it to damage each byte of a file.
    ///
    /// - Throws: `ContractViolation` if the decoder breaks a promise.
    public func checkBriefly(_ data: Data) throws(ContractViolation) { _ = try briefWork(on: data) }

    /// Checks as `check` does, and returns the work of the decoder.
    func work(on data: Data) throws(ContractViolation) -> Work {
        for count in [0, 1, 32] { _ = decoder.recognizes(Data(data.prefix(count))) }
        guard let (first, second) = try openedTwice(data) else { return Work() }
        try check(first.header)
        try expect(first.header == second.header, "two headers for the same bytes: \(first.header), \(second.header)")
        try checkThumbnails(of: first, and: second, in: data)
        try checkSizes(of: first)
        return try checkDecoding(of: first, and: second)
    }

    /// Checks as `checkBriefly` does, and returns the work of the decoder.
    func briefWork(on data: Data) throws(ContractViolation) -> Work {
        switch opened(data) {
        case .success(let image):
            try check(image.header)
            return try checkBriefDecoding(of: image)
        case .failure(let failure):
            try expect(isAllowed(failure), "opening must not throw \(failure)")
            return Work()
        }
    }

    /// Opens the image twice. Returns nil if both attempts fail with the same error.
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

    private func opened(_ data: Data) -> Result<any OpenedImage, ImageDecodingError> {
        Result { () throws(ImageDecodingError) in try decoder.open(data, limits: limits) }
    }

    /// Whether the documentation of the protocols allows this error.
    func isAllowed(_ failure: ImageDecodingError) -> Bool {
        switch failure {
        case .malformed(let format, _), .truncated(let format), .unsupported(let format, _): format == decoder.format
        case .limitExceeded(_, let value, let allowed): value > allowed
        case .unknownFormat, .noSuchFrame, .workerFailed, .cancelled: false
        }
    }

    private func check(_ header: ImageHeader) throws(ContractViolation) {
        let size = header.storedSize
        try expect(header.format == decoder.format, "a header of \(header.format) from a decoder of \(decoder.format)")
        try expect(size.width > 0 && size.height > 0, "an empty image of \(size)")
        try expect(size.area <= limits.maxPixels, "\(size) opened, but only \(limits.maxPixels) pixels are allowed")
        try expect(
            max(size.width, size.height) <= limits.maxSide,
            "\(size) opened, but only a side of \(limits.maxSide) is allowed")
        try expect(
            (1...limits.maxFrames).contains(header.frameCount),
            "\(header.frameCount) frames, \(limits.maxFrames) allowed")
        let delays = header.frameCount == 1 ? 0 : header.frameCount
        try expect(
            header.frameDelays.count == delays, "\(header.frameDelays.count) delays, \(header.frameCount) frames")
        try expect(header.loopCount >= 0, "the loop count is \(header.loopCount)")
        try expect(header.colorProfile?.count ?? 0 <= limits.metadataByteLimit, "a profile above the limit")
    }

    private func checkThumbnails(
        of first: any OpenedImage, and second: any OpenedImage, in data: Data
    ) throws(ContractViolation) {
        let thumbnail = first.embeddedThumbnail
        try expect(thumbnail == second.embeddedThumbnail, "two thumbnails for the same bytes")
        try expect(thumbnail?.count ?? 0 <= data.count, "a thumbnail larger than the file")
    }

    /// Returns sizes to request, from larger than the image to a single pixel.
    static func targets(in size: PixelSize) -> [PixelSize] {
        let halves = [1, 2, 3, 8].map {
            PixelSize(width: max(1, size.width / $0), height: max(1, size.height / $0))
        }
        return halves + [PixelSize(width: 1, height: 1), PixelSize(width: size.width + 1, height: 1)]
    }

    private func checkSizes(of image: any OpenedImage) throws(ContractViolation) {
        let stored = image.header.storedSize
        for target in Self.targets(in: stored) + [PixelSize(width: .max, height: .max), PixelSize(width: 0, height: 0)]
        {
            let offered = image.decodableSize(covering: target)
            try expect(
                (1...stored.width).contains(offered.width) && (1...stored.height).contains(offered.height),
                "offers \(offered) of \(stored) for \(target)")
            try expect(
                offered == stored || offered.width >= target.width && offered.height >= target.height,
                "\(offered) neither covers \(target) nor is the stored size \(stored)")
        }
    }
}
