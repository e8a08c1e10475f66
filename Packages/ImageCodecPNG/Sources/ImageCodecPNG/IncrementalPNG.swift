import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A PNG file whose bytes are coming in. A plain image is shown by rows, an interlaced one by complete passes, whose
/// pixels stand for the blocks of those that are missing.
///
/// Holds the whole image in the layout of the previews.
final class IncrementalPNG: IncrementalImage {
    private let limits: DecodingLimits
    private var parser: PNGParser
    private var preamble: PNGPreamble?
    private var rows: PNGRows?
    /// What came behind the preamble before the start.
    private var waiting = Data()
    private var receivedBytes = 0
    private var isOver = false
    private var failure: DecodingFailure?

    init(limits: DecodingLimits) {
        self.limits = limits
        parser = PNGParser(limits: limits)
    }

    var header: ImageHeader? { preamble?.imageHeader }

    var extent: PreviewExtent {
        guard let rows else { return .nothing }
        let shown = shown(of: rows)
        return PreviewExtent(passes: shown.passes, rows: rows.knownRows(shown))
    }

    /// PNG does not scale: always the stored size.
    func decodableSize(covering target: PixelSize) -> PixelSize { preamble?.header.size ?? target }

    /// All of the image.
    func heldBytes(size: PixelSize, layout: PixelLayout) -> Int { preamble?.imageBytes(layout) ?? 0 }

    func start(size: PixelSize, layout: PixelLayout) throws(DecodingFailure) {
        guard let preamble else { preconditionFailure("started before the header was there") }
        precondition(rows == nil, "started twice")
        try preamble.imageHeader.checkStored(size, layout)
        try limits.check(.decodedBytes, preamble.imageBytes(layout))
        rows = try PNGRows(preamble, layout: layout, keeps: true, limits: limits)
        let bytes = waiting
        waiting = Data()
        try read(bytes)
    }

    func append(_ bytes: Data) throws(DecodingFailure) {
        if let failure { throw failure }
        if isOver { return }
        let allowed = limits.encodedBytes - receivedBytes
        receivedBytes += min(bytes.count, allowed)
        try read(bytes.prefix(allowed))
        if bytes.count > allowed, !isOver { try fail(tooManyBytes) }
    }

    func decodePreview(into sink: any PixelRowSink) throws(DecodingFailure) {
        guard let rows else { return }
        try rows.hand(over: shown(of: rows), to: sink)
    }

    /// A pass in progress is not shown, but for the first one, whose rows are all there is.
    private func shown(of rows: PNGRows) -> PNGRows.Progress {
        let progress = rows.progress
        return PNGRows.Progress(passes: progress.passes, rows: progress.passes == 0 ? progress.rows : 0)
    }

    private var tooManyBytes: DecodingFailure {
        .limitExceeded(.encodedBytes, value: limits.encodedBytes + 1, allowed: limits.encodedBytes)
    }

    /// Throws `failure`, now and at each further piece.
    private func fail(_ failure: DecodingFailure) throws(DecodingFailure) {
        self.failure = failure
        throw failure
    }

    private func read(_ bytes: Data) throws(DecodingFailure) {
        do throws(DecodingFailure) {
            if let rows { try readPixels(bytes, into: rows) } else { try readPreamble(bytes) }
        } catch {
            try fail(error)
        }
    }

    private func readPreamble(_ bytes: Data) throws(DecodingFailure) {
        if preamble != nil { return waiting.append(bytes) }
        var offset = 0
        guard case .preamble(let preamble) = try parser.next(in: bytes.span, at: &offset) else { return }
        self.preamble = preamble
        waiting = Data(bytes.dropFirst(offset))
    }

    private func readPixels(_ bytes: Data, into rows: PNGRows) throws(DecodingFailure) {
        let bytes = bytes.span
        var offset = 0
        while let step = try parser.next(in: bytes, at: &offset) {
            guard case .pixels(let range) = step else { return isOver = true }
            try rows.decode(bytes.extracting(range)) { _ throws(DecodingFailure) in }
        }
    }
}
