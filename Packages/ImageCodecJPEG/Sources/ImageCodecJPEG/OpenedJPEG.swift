import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JPEG file whose header is read. Each decode reads the file anew, so it can be asked for several sizes.
final class OpenedJPEG: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let limits: DecodingLimits
    private let found: JPEGHeader

    init(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) {
        let bytes = data.span
        let found = try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(DecodingFailure) in
            try unsafe JPEGReader(bytes).readHeader(limits: limits)
        }
        guard let found else { throw .truncated(.jpeg) }
        header = found.imageHeader
        self.found = found
        self.data = data
        self.limits = limits
    }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        DCTScale.smallest(of: header.storedSize, covering: target).applied(to: header.storedSize)
    }

    /// For speed, a progressive image is decoded at twice the size: its first scans hold what that needs, and without it
    /// the thumbnail of a small file would be visibly soft.
    func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize {
        guard preference == .speed, found.isProgressive else { return decodableSize(covering: target) }
        let stored = header.storedSize
        // One percent less than twice is near enough, as the next larger size costs so much more.
        func doubled(_ side: Int, of whole: Int) -> Int { min(whole, Int((Double(side) * 1.98).rounded(.up))) }
        return decodableSize(
            covering: PixelSize(
                width: doubled(target.width, of: stored.width), height: doubled(target.height, of: stored.height)))
    }

    /// The coefficients of an image of several scans.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { found.heldBytes(for: size) }

    /// The image in the second directory of the Exif block.
    var embeddedThumbnail: Data? { found.exif.flatMap(ExifReader.thumbnail) }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        if index != 0 { throw .noSuchFrame(index, frameCount: 1) }
        let bytes = data.span
        try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(DecodingFailure) in
            let reader = try unsafe JPEGReader(bytes)
            guard let header = try reader.readHeader(limits: limits) else { throw .truncated(.jpeg) }
            let scale = try header.scale(to: size, layout: layout)
            try header.checkMemory(for: size, layout: layout, limits: limits)
            try reader.start(size: size, layout: layout, scale: scale, preference: preference, limits: limits)
            guard header.hasSeveralScans else {
                return try reader.readRows(size: size, layout: layout, into: sink)
            }
            while try reader.readScans(limits: limits) == .working { try sink.checkCancellation() }
            try reader.readPass(size: size, layout: layout, into: sink)
        }
    }
}

/// The scales at which the library's inverse DCT has vector code: 1, 1/2, 1/4, 1/8.
struct DCTScale {
    let denominator: Int

    private static let all = [1, 2, 4, 8].map(DCTScale.init)

    /// Sizes are rounded up.
    func applied(to size: PixelSize) -> PixelSize {
        PixelSize(
            width: (size.width + denominator - 1) / denominator, height: (size.height + denominator - 1) / denominator)
    }

    static func smallest(of size: PixelSize, covering target: PixelSize) -> DCTScale {
        let covering = all.last { scale in
            let scaled = scale.applied(to: size)
            return scaled.width >= target.width && scaled.height >= target.height
        }
        return covering ?? all[0]
    }

    /// The largest scale that turns `size` into `scaled`; tiny images keep their size at several.
    static func giving(_ scaled: PixelSize, from size: PixelSize) -> DCTScale? {
        all.first { $0.applied(to: size) == scaled }
    }
}
