import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A PNG file whose header has been read. Each decode starts at the pixels.
final class OpenedPNG: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let limits: DecodingLimits
    private let preamble: PNGPreamble
    /// The state of the parser at the start of the pixels, at `offset`.
    private let parser: PNGParser
    private let offset: Int

    init(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) {
        var parser = PNGParser(limits: limits)
        var offset = 0
        guard case .preamble(let preamble) = try parser.next(in: data.span, at: &offset) else {
            throw .truncated(.png)
        }
        var header = preamble.imageHeader
        header.orientation = PNGExif(data).orientation(limit: limits.metadataBytes) ?? .up
        (self.header, self.data, self.limits) = (header, data, limits)
        (self.preamble, self.parser, self.offset) = (preamble, parser, offset)
    }

    /// Returns the stored size: PNG can't be scaled while decoding.
    func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

    /// Returns the size of an interlaced image in bytes, otherwise 0.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { preamble.heldBytes(layout: layout) }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        if index != 0 { throw .noSuchFrame(index, frameCount: 1) }
        try header.checkStored(size, layout)
        if preamble.header.isInterlaced { try checkMemory(layout) }
        let decoder = try PNGRowDecoder(
            preamble, layout: layout, storesRows: preamble.header.isInterlaced, limits: limits)
        let isWhole = try decode(decoder, into: sink)
        if preamble.header.isInterlaced { try decoder.sendRows(at: decoder.progress, to: sink) }
        if !isWhole { throw .truncated(.png) }
    }

    /// Checks that an interlaced image and its output together are within the limit.
    private func checkMemory(_ layout: PixelLayout) throws(DecodingFailure) {
        let (sum, overflow) = preamble.heldBytes(layout: layout)
            .addingReportingOverflow(preamble.imageBytes(.rgba8))
        try limits.check(.decodedBytes, overflow ? .max : sum)
    }

    /// Decodes the pixels. Returns whether all rows were decoded. The end of the file may be missing.
    private func decode(_ decoder: PNGRowDecoder, into sink: any PixelRowSink) throws(DecodingFailure) -> Bool {
        var (parser, offset, count) = (parser, offset, 0)
        let bytes = data.span
        while let step = try parser.next(in: bytes, at: &offset) {
            guard case .pixels(let range) = step else { break }
            try decoder.decode(bytes.extracting(range)) { (row) throws(DecodingFailure) in
                if row.count > 0 { return try sink.receive(row) }
                count += 1
                if count.isMultiple(of: Self.rowsBetweenCancellations) { try sink.checkCancellation() }
            }
        }
        return decoder.hasAllRows
    }

    private static let rowsBetweenCancellations = 64
}

extension ImageHeader {
    /// Throws `.unsupported` if the image can't be decoded at this size or to this layout.
    func checkStored(_ size: PixelSize, _ layout: PixelLayout) throws(DecodingFailure) {
        if size != storedSize { throw .unsupported(.png, "\(storedSize) can't be scaled to \(size)") }
        guard layout == .rgba8 || layout == nativeLayout else {
            throw .unsupported(.png, "the image can't be decoded to the layout \(layout)")
        }
    }
}
