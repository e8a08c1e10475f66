import CImageCodecPNG
import ImageCore

/// The library's way from compressed bytes to rows of pixels.
///
/// Safe: the handle is valid from `init` to `deinit`, never leaves the class, and the library is fed with bytes only as long
/// as they are lent.
@safe final class PNGRows {
    private let rows: OpaquePointer
    private let size: PixelSize
    private let stride: Int
    private let isInterlaced: Bool
    /// Nothing comes of further bytes: all rows were there, or the compressed stream ended before the image did.
    private var isOver = false

    /// Checks the memory that rows need, and takes it. What else is held is for the caller to check.
    ///
    /// - Parameter keeps: whether rows stay for `hand(over:to:)`; interlaced ones have to.
    init(_ preamble: PNGPreamble, layout: PixelLayout, keeps: Bool, limits: DecodingLimits) throws(DecodingFailure) {
        try limits.check(.decodedBytes, preamble.rowBytes(layout))
        var format = preamble.format
        guard let rows = unsafe ilp_rows_create(&format, ilp_layout(layout), keeps) else {
            throw .limitExceeded(.decodedBytes, value: preamble.imageBytes(layout), allowed: limits.decodedBytes)
        }
        unsafe self.rows = rows
        size = preamble.header.size
        stride = size.width * layout.bytesPerPixel
        isInterlaced = preamble.header.isInterlaced
    }

    deinit { unsafe ilp_rows_destroy(rows) }

    /// Decodes as far as `bytes` reach and hands each row to `receive`: of an interlaced image an empty one for each row
    /// of a pass. Bytes after the last row are ignored.
    func decode(
        _ bytes: Span<UInt8>, receive: (Span<UInt8>) throws(DecodingFailure) -> Void
    ) throws(DecodingFailure) {
        if isOver { return }
        try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(DecodingFailure) in
            unsafe ilp_rows_feed(rows, bytes.baseAddress, bytes.count)
            while let row = try unsafe nextRow() {
                try receive(unsafe UnsafeBufferPointer(start: row, count: isInterlaced ? 0 : stride).span)
            }
        }
    }

    /// The next row, or nil when there is none as yet.
    private func nextRow() throws(DecodingFailure) -> UnsafePointer<UInt8>? {
        var row: UnsafePointer<UInt8>?
        switch unsafe ilp_rows_next(rows, &row) {
        case ILP_ROW: return unsafe row
        case ILP_HUNGRY: return nil
        case ILP_COMPLETE, ILP_SHORT: isOver = true
        default: throw unsafe .malformed(.png, String(cString: ilp_rows_message(rows)))
        }
        return nil
    }
}

extension PNGRows {
    /// How far an image has come.
    struct Progress: Hashable {
        /// Complete ones, of 7, or of 1 when the image is not interlaced.
        var passes: Int
        /// Rows of the pass in progress.
        var rows: Int
    }

    var progress: Progress {
        unsafe Progress(passes: Int(ilp_rows_passes(rows)), rows: Int(ilp_rows_in_pass(rows)))
    }

    /// Whether all of the image has come. Its checksum may be missing: nobody refuses an image for that.
    var hasAllRows: Bool { progress.passes == (isInterlaced ? 7 : 1) }

    /// Rows from the top that can be shown at `progress`.
    func knownRows(_ progress: Progress) -> Int {
        Int(unsafe ilp_rows_known(rows, Int32(progress.passes), UInt32(progress.rows)))
    }

    /// Hands over the kept rows as they are known at `progress`: where pixels are missing, those of earlier passes as blocks.
    ///
    /// - Precondition: rows are kept, and the image has come as far as `progress`.
    func hand(over progress: Progress, to sink: any PixelRowSink) throws(DecodingFailure) {
        for y in 0..<knownRows(progress) {
            let row = unsafe ilp_rows_kept(rows, UInt32(y), Int32(progress.passes), UInt32(progress.rows))
            try sink.receive(unsafe UnsafeBufferPointer(start: row, count: stride).span)
        }
    }
}

extension ilp_layout {
    fileprivate init(_ layout: PixelLayout) {
        switch layout {
        case .gray8: self = ILP_GRAY8
        case .grayAlpha8: self = ILP_GRAY_ALPHA8
        case .rgba8, .cmyk8: self = ILP_RGBA8
        }
    }
}
