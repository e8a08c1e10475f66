import CImageCodecJPEG
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JPEG file whose header has been read. Each decode reads the file again, at any supported size.
final class OpenedJPEG: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let limits: DecodingLimits
    private let jpegHeader: JPEGHeader

    init(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) {
        let bytes = data.span
        let jpegHeader = try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(DecodingFailure) in
            try unsafe JPEGReader(bytes).readHeader(limits: limits)
        }
        guard let jpegHeader else { throw .truncated(.jpeg) }
        header = jpegHeader.imageHeader
        self.jpegHeader = jpegHeader
        self.data = data
        self.limits = limits
    }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        DCTScale.smallest(of: header.storedSize, covering: target).applied(to: header.storedSize)
    }

    /// Returns the size to decode at.
    ///
    /// With `.speed`, a progressive image is decoded at twice the size of others: its first scans contain enough
    /// detail, and without it thumbnails of small files would be visibly blurred.
    func decodableSize(covering target: PixelSize, preference: DecodingPreference) -> PixelSize {
        guard preference == .speed, jpegHeader.isProgressive else { return decodableSize(covering: target) }
        let stored = header.storedSize
        // One percent below twice the size is accepted, because the next larger scale is much slower.
        func doubled(_ side: Int, of whole: Int) -> Int { min(whole, Int((Double(side) * 1.98).rounded(.up))) }
        return decodableSize(
            covering: PixelSize(
                width: doubled(target.width, of: stored.width), height: doubled(target.height, of: stored.height)))
    }

    /// Returns the size of the coefficients of an image with several scans, otherwise 0.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { jpegHeader.heldBytes(for: size) }

    /// The thumbnail in the second directory of the first Exif segment that has one.
    var embeddedThumbnail: Data? { jpegHeader.exif.lazy.compactMap(ExifReader.thumbnail).first }

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
            while try reader.readScans(limits: limits) == ILJ_WORKING { try sink.checkCancellation() }
            try reader.readPass(size: size, layout: layout, into: sink)
        }
    }
}

/// A scale at which libjpeg has a vectorized inverse DCT: 1, 1/2, 1/4 or 1/8.
struct DCTScale {
    let denominator: Int

    private static let all = [1, 2, 4, 8].map(DCTScale.init)

    /// Returns the scaled size, rounded up.
    func applied(to size: PixelSize) -> PixelSize {
        PixelSize(
            width: (size.width + denominator - 1) / denominator, height: (size.height + denominator - 1) / denominator)
    }

    /// Returns the smallest scale whose size is not below `target`, or scale 1.
    static func smallest(of size: PixelSize, covering target: PixelSize) -> DCTScale {
        let covering = all.last { scale in
            let scaled = scale.applied(to: size)
            return scaled.width >= target.width && scaled.height >= target.height
        }
        return covering ?? all[0]
    }

    /// Returns the largest scale from `size` to `scaled`. Several scales can give the same size of a tiny image.
    static func giving(_ scaled: PixelSize, from size: PixelSize) -> DCTScale? {
        all.first { $0.applied(to: size) == scaled }
    }
}
