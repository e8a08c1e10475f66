import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A PNG file whose header is read. Each decode begins at the pixels.
final class OpenedPNG: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let limits: DecodingLimits
    private let preamble: PNGPreamble
    /// Behind the beginning of the pixels, which is at `offset`.
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

    /// PNG does not scale: always the stored size.
    func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

    /// All of an interlaced image.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { preamble.heldBytes(layout: layout) }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        if index != 0 { throw .noSuchFrame(index, frameCount: 1) }
        try header.checkStored(size, layout)
        if preamble.header.isInterlaced { try checkMemory(layout) }
        let rows = try PNGRows(preamble, layout: layout, keeps: preamble.header.isInterlaced, limits: limits)
        let isWhole = try decode(rows, into: sink)
        if preamble.header.isInterlaced { try rows.hand(over: rows.progress, to: sink) }
        if !isWhole { throw .truncated(.png) }
    }

    /// An interlaced image must fit together with its output.
    private func checkMemory(_ layout: PixelLayout) throws(DecodingFailure) {
        let (sum, overflow) = preamble.heldBytes(layout: layout)
            .addingReportingOverflow(preamble.imageBytes(.rgba8))
        try limits.check(.decodedBytes, overflow ? .max : sum)
    }

    /// Whether all rows were there and the file ends as it should.
    private func decode(_ rows: PNGRows, into sink: any PixelRowSink) throws(DecodingFailure) -> Bool {
        var (parser, offset, count) = (parser, offset, 0)
        let bytes = data.span
        while let step = try parser.next(in: bytes, at: &offset) {
            guard case .pixels(let range) = step else { return rows.hasAllRows }
            try rows.decode(bytes.extracting(range)) { (row) throws(DecodingFailure) in
                if row.count > 0 { return try sink.receive(row) }
                count += 1
                if count.isMultiple(of: Self.rowsBetweenCancellations) { try sink.checkCancellation() }
            }
        }
        return false
    }

    private static let rowsBetweenCancellations = 64
}

extension ImageHeader {
    /// Throws unless pixels can be had at this size and in this layout.
    func checkStored(_ size: PixelSize, _ layout: PixelLayout) throws(DecodingFailure) {
        if size != storedSize { throw .unsupported(.png, "\(storedSize) does not scale to \(size)") }
        guard layout == .rgba8 || layout == nativeLayout else {
            throw .unsupported(.png, "this image has no pixels of layout \(layout)")
        }
    }
}
