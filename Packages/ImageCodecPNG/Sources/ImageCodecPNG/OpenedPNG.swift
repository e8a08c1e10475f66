import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A PNG file whose header is read. Each decode reads the file anew.
final class OpenedPNG: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let limits: DecodingLimits
    private let found: PNGHeader

    init(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) {
        let chunks = PNGChunks(data)
        if chunks.isApplesVariant { throw .unsupported(.png, "Apple's variant (CgBI)") }
        let bytes = data.span
        found = try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(DecodingFailure) in
            try unsafe PNGReader(bytes, limits: limits).readHeader()
        }
        var header = found.imageHeader
        header.orientation = chunks.exif(limit: limits.metadataBytes).flatMap(ExifReader.orientation) ?? .up
        self.header = header
        self.data = data
        self.limits = limits
    }

    /// PNG does not scale: always the stored size.
    func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

    /// All of an interlaced picture.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { found.heldBytes(layout: layout) }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        if index != 0 { throw .noSuchFrame(index, frameCount: 1) }
        if size != header.storedSize { throw .unsupported(.png, "\(header.storedSize) does not scale to \(size)") }
        guard layout == .rgba8 || layout == header.nativeLayout else {
            throw .unsupported(.png, "this picture has no pixels of layout \(layout)")
        }
        let bytes = data.span
        try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(DecodingFailure) in
            let reader = try unsafe PNGReader(bytes, limits: limits)
            let header = try reader.readHeader()
            try reader.start(header, layout: layout)
            try reader.readRows(of: header, layout: layout, into: sink)
        }
    }
}
