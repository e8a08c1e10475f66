import CImageCodecPNG
import ImageCore

/// Decodes compressed bytes to rows of pixels in C.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class. The decoder reads the passed bytes
/// only during a call.
@safe final class PNGRowDecoder {
    private let handle: OpaquePointer
    private let size: PixelSize
    private let stride: Int
    private let isInterlaced: Bool
    /// Whether further bytes are ignored: all rows have been decoded, or the compressed stream has ended.
    private var isFinished = false

    /// Checks the memory for rows against the limit and allocates it. The caller checks all other memory.
    ///
    /// - Parameter storesRows: Whether rows are stored for `readRows`. Must be true for interlaced images.
    init(_ preamble: PNGPreamble, layout: PixelLayout, storesRows: Bool, limits: DecodingLimits)
        throws(ImageDecodingError)
    {
        try limits.check(.decodedBytes, preamble.rowBytes(layout))
        var format = preamble.format
        guard let handle = unsafe ilp_decoder_create(&format, ilp_layout(layout), storesRows) else {
            throw .limitExceeded(.decodedBytes, value: preamble.imageBytes(layout), allowed: limits.decodedByteLimit)
        }
        unsafe self.handle = handle
        size = preamble.header.size
        stride = size.width * layout.bytesPerPixel
        isInterlaced = preamble.header.isInterlaced
    }

    deinit { unsafe ilp_decoder_destroy(handle) }

    /// Decodes `bytes` and passes each row to `receive`. Of an interlaced image, the row is empty. Bytes after the last
    /// row are ignored.
    func decode(
        _ bytes: Span<UInt8>, receive: (Span<UInt8>) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) {
        if isFinished { return }
        try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(ImageDecodingError) in
            unsafe ilp_decoder_feed(handle, bytes.baseAddress, bytes.count)
            while let row = try unsafe nextRow() {
                try receive(unsafe UnsafeBufferPointer(start: row, count: isInterlaced ? 0 : stride).span)
            }
        }
    }

    /// Returns the next row. Returns nil if more bytes are needed, or after the last row.
    private func nextRow() throws(ImageDecodingError) -> UnsafePointer<UInt8>? {
        var row: UnsafePointer<UInt8>?
        switch unsafe ilp_decoder_next_row(handle, &row) {
        case ILP_ROW: return unsafe row
        case ILP_NEEDS_INPUT: return nil
        case ILP_COMPLETE, ILP_TRUNCATED: isFinished = true
        default: throw unsafe .malformed(.png, String(cString: ilp_decoder_message(handle)))
        }
        return nil
    }
}

extension PNGRowDecoder {
    /// The decoded part of an image.
    struct Progress: Hashable {
        /// The number of complete passes, of 7, or of 1 if the image is not interlaced.
        var passes: Int
        /// The number of rows of the current pass.
        var rows: Int
    }

    var progress: Progress {
        unsafe Progress(passes: Int(ilp_decoder_passes(handle)), rows: Int(ilp_decoder_rows_in_pass(handle)))
    }

    /// Whether all rows have been decoded. The checksum may be missing, as other decoders allow.
    var hasAllRows: Bool { progress.passes == (isInterlaced ? 7 : 1) }

    /// Returns the number of rows from the top that are available at `progress`.
    func availableRows(_ progress: Progress) -> Int {
        Int(unsafe ilp_decoder_available_rows(handle, Int32(progress.passes), UInt32(progress.rows)))
    }

    /// Passes the stored rows to `receive` as they were at `progress`. Blocks of earlier passes fill missing pixels.
    ///
    /// - Precondition: Rows are stored, and the image has reached `progress`.
    func readRows(
        at progress: Progress, _ receive: (Span<UInt8>) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) {
        for y in 0..<availableRows(progress) {
            let row = unsafe ilp_decoder_stored_row(handle, UInt32(y), Int32(progress.passes), UInt32(progress.rows))
            try receive(unsafe UnsafeBufferPointer(start: row, count: stride).span)
        }
    }
}

extension AnimationCanvas {
    /// Draws a row of a frame in the layout of the canvas.
    mutating func draw(_ row: Span<UInt8>, in range: Range<Int>, _ layout: PixelLayout, blends: Bool) {
        precondition(row.count == range.count)
        // Sound: by the precondition, both rows are equally long.
        unsafe pixels.withUnsafeMutableBufferPointer { canvas in
            unsafe row.withUnsafeBufferPointer { row in
                unsafe ilp_draw(
                    row.baseAddress, row.count, ilp_layout(layout), blends, canvas.extracting(range).baseAddress)
            }
        }
    }
}

extension ilp_layout {
    fileprivate init(_ layout: PixelLayout) {
        switch layout {
        case .gray8: self = ILP_GRAY8
        case .grayAlpha8: self = ILP_GRAY_ALPHA8
        case .rgba16: self = ILP_RGBA16
        case .rgba8, .cmyk8: self = ILP_RGBA8
        }
    }
}
