import CImageCodecGIF
import ImageCore

/// Decompresses the pixel indices of images, row by row (GIF89a, appendix F).
///
/// It holds a table of 4096 strings, and the strings of the codes since the last clear code. It is written in C to avoid a
/// second bounds check for each access.
///
/// Safe: the handle is valid from `init` to `deinit` and never leaves the class. Spans are not stored.
@safe final class LZWReader {
    private let handle: OpaquePointer

    init() throws(DecodingFailure) {
        guard let handle = unsafe gif_lzw_open() else { throw .unsupported(.gif, "out of memory") }
        unsafe self.handle = handle
    }

    deinit { unsafe gif_lzw_close(handle) }

    /// Returns the most memory for decompressing an image, in bytes. The strings are as long as the image, but not longer than
    /// those of a full table (8.4 MB), and their buffer grows by doubling.
    static func byteCount(pixels: Int) -> Int {
        let (table, longestString) = (32_768, 4_096)
        return table + min(2 * (pixels + longestString) + table, 16 << 20)
    }

    /// Starts an image.
    ///
    /// - Parameter offset: The offset of the LZW code size byte. The sub-blocks follow it.
    /// - Throws: `.malformed` if the code size is not from 1 to 11, or `.truncated`.
    func start(at offset: Int, in source: Span<UInt8>) throws(DecodingFailure) {
        let outcome = unsafe source.withUnsafeBufferPointer { bytes in
            unsafe gif_lzw_start(handle, bytes.baseAddress, bytes.count, offset)
        }
        if outcome == gif_lzw_malformed { throw .malformed(.gif, "the LZW code size is \(source[offset])") }
        if outcome != gif_lzw_ok { throw .truncated(.gif) }
    }

    /// Fills `row` with the next indices. `source` must be the same in each call.
    func read(into row: inout MutableSpan<UInt8>, from source: Span<UInt8>) throws(DecodingFailure) {
        var filled = 0
        let outcome = unsafe source.withUnsafeBufferPointer { bytes in
            unsafe row.withUnsafeMutableBufferPointer { row in
                unsafe gif_lzw_read(handle, bytes.baseAddress, bytes.count, row.baseAddress, row.count, &filled)
            }
        }
        if outcome == gif_lzw_malformed { throw .malformed(.gif, "an LZW code is not in the table") }
        if outcome == gif_lzw_out_of_memory { throw .unsupported(.gif, "out of memory") }
        if outcome != gif_lzw_ok { throw .truncated(.gif) }
    }
}
