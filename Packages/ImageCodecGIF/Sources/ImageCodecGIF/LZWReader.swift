import CImageCodecGIF
import ImageCore

/// Decompresses the pixel indices of one image after another (GIF89a, appendix F), as many at a time as a row needs.
///
/// The table of 4096 strings and the rest of one string, 60 KB, are all that it holds, whatever the data says. In C,
/// because every access would be checked twice here.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class; spans are not kept.
@safe final class LZWReader {
    private let handle: OpaquePointer

    init() throws(DecodingFailure) {
        guard let handle = unsafe gif_lzw_open() else { throw .unsupported(.gif, "there is no memory") }
        unsafe self.handle = handle
    }

    deinit { unsafe gif_lzw_close(handle) }

    /// - Parameter offset: of the byte that tells the code size; the sub-blocks follow it.
    func start(at offset: Int, in source: Span<UInt8>) throws(DecodingFailure) {
        let outcome = unsafe source.withUnsafeBufferPointer { bytes in
            unsafe gif_lzw_start(handle, bytes.baseAddress, bytes.count, offset)
        }
        if outcome == gif_lzw_malformed { throw .malformed(.gif, "the LZW code size is \(source[offset])") }
        if outcome != gif_lzw_ok { throw .truncated(.gif) }
    }

    /// Fills `row` with the next indices. `source` is the same at each call.
    func read(into row: inout MutableSpan<UInt8>, from source: Span<UInt8>) throws(DecodingFailure) {
        var filled = 0
        let outcome = unsafe source.withUnsafeBufferPointer { bytes in
            unsafe row.withUnsafeMutableBufferPointer { row in
                unsafe gif_lzw_read(handle, bytes.baseAddress, bytes.count, row.baseAddress, row.count, &filled)
            }
        }
        if outcome == gif_lzw_malformed { throw .malformed(.gif, "an LZW code is not in the table") }
        if outcome != gif_lzw_ok { throw .truncated(.gif) }
    }
}
