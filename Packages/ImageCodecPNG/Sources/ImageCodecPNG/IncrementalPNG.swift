import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A PNG image that is decoded while its bytes arrive.
///
/// Previews show the rows of an image, or the complete passes of an interlaced one, whose pixels fill the blocks of
/// missing ones. The whole image is stored in the layout of the previews.
final class IncrementalPNG: IncrementalImage {
    private let limits: DecodingLimits
    private var parser: PNGParser
    private var preamble: PNGPreamble?
    private var decoder: PNGRowDecoder?
    /// The bytes after the preamble that arrived before `start`.
    private var pendingBytes = Data()
    private var receivedBytes = 0
    private var isFinished = false

    init(limits: DecodingLimits) {
        self.limits = limits
        parser = PNGParser(limits: limits)
    }

    var header: ImageHeader? { preamble?.imageHeader }

    var extent: PreviewExtent {
        guard let decoder else { return .nothing }
        let shown = shown(of: decoder)
        return PreviewExtent(passes: shown.passes, rows: decoder.availableRows(shown))
    }

    /// Returns the stored size: PNG can't be scaled while decoding.
    func decodableSize(covering target: PixelSize) -> PixelSize { preamble?.header.size ?? target }

    /// Returns the size of the whole image in bytes.
    func heldBytes(size: PixelSize, layout: PixelLayout) -> Int { preamble?.imageBytes(layout) ?? 0 }

    func start(size: PixelSize, layout: PixelLayout) throws(DecodingFailure) {
        guard let preamble else { preconditionFailure("started before the header was available") }
        precondition(decoder == nil, "started twice")
        try preamble.imageHeader.checkStored(size, layout)
        try limits.check(.decodedBytes, preamble.imageBytes(layout))
        decoder = try PNGRowDecoder(preamble, layout: layout, storesRows: true, limits: limits)
        let bytes = pendingBytes
        pendingBytes = Data()
        try read(bytes)
    }

    func append(_ bytes: Data) throws(DecodingFailure) {
        if isFinished { return }
        receivedBytes += bytes.count
        try limits.check(.encodedBytes, receivedBytes)
        try read(bytes)
    }

    func decodePreview(into sink: any PixelRowSink) throws(DecodingFailure) {
        guard let decoder else { return }
        try decoder.sendRows(at: shown(of: decoder), to: sink)
    }

    /// Returns the progress for previews. Passes in progress are not shown, except for the first one.
    private func shown(of decoder: PNGRowDecoder) -> PNGRowDecoder.Progress {
        let progress = decoder.progress
        return PNGRowDecoder.Progress(passes: progress.passes, rows: progress.passes == 0 ? progress.rows : 0)
    }

    private func read(_ bytes: Data) throws(DecodingFailure) {
        if let decoder { try readPixels(bytes, into: decoder) } else { try readPreamble(bytes) }
    }

    private func readPreamble(_ bytes: Data) throws(DecodingFailure) {
        if preamble != nil { return pendingBytes.append(bytes) }
        var offset = 0
        guard case .preamble(let preamble) = try parser.next(in: bytes.span, at: &offset) else { return }
        self.preamble = preamble
        pendingBytes = Data(bytes.dropFirst(offset))
    }

    private func readPixels(_ bytes: Data, into decoder: PNGRowDecoder) throws(DecodingFailure) {
        let bytes = bytes.span
        var offset = 0
        while let step = try parser.next(in: bytes, at: &offset) {
            guard case .pixels(let range) = step else { return isFinished = true }
            try decoder.decode(bytes.extracting(range)) { _ throws(DecodingFailure) in }
        }
    }
}
