import CImageLoadTool
import Foundation

/// Compresses with libdeflate, whose highest levels take longer than those of zlib and make smaller streams.
enum Deflate {
    /// Returns a zlib stream, or nil if memory is exhausted.
    /// - Parameter level: From 1 to 12.
    static func compress(_ data: some ContiguousBytes, level: Int) -> Data? {
        unsafe data.withUnsafeBytes { bytes in
            var result = unsafe tool_bytes()
            let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            guard unsafe tool_deflate(start, bytes.count, CInt(level), &result) != 0 else { return nil }
            return unsafe result.takeData()
        }
    }

    /// Returns the decompressed bytes, or nil if the stream is damaged or has another length.
    static func decompress(_ data: Data, byteCount: Int) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: byteCount)
        let isGood = unsafe data.withUnsafeBytes { bytes in
            unsafe result.withUnsafeMutableBufferPointer { target in
                let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
                return unsafe tool_inflate(start, bytes.count, target.baseAddress, target.count) != 0
            }
        }
        return isGood ? result : nil
    }
}

extension tool_bytes {
    /// Returns the bytes and takes over their memory.
    func takeData() -> Data {
        guard let bytes = unsafe bytes else { return Data() }
        return unsafe Data(bytesNoCopy: bytes, count: length, deallocator: .free)
    }
}
