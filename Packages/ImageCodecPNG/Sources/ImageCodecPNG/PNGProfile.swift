import CImageCodecPNG
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads embedded ICC profiles.
enum PNGProfile {
    /// Returns the profile in the data of an iCCP chunk (PNG 3rd edition, 11.3.2.3). Returns nil if it is damaged,
    /// larger than the limit or for another color model.
    static func inflated(_ chunk: [UInt8], isGray: Bool, limits: DecodingLimits) -> Data? {
        guard let name = chunk.firstIndex(of: 0), (1...79).contains(name), chunk.count > name + 2, chunk[name + 1] == 0
        else { return nil }
        let stream = chunk[(name + 2)...]
        guard let start = inflated(stream, count: 4) else { return nil }
        let length = start.bigEndian32(at: 0)
        guard length >= headerBytes, length <= limits.metadataBytes, let profile = inflated(stream, count: length)
        else { return nil }
        let space = Array(profile[16..<20]), signature = Array(profile[36..<40])
        guard signature == Array("acsp".utf8), space == Array((isGray ? "GRAY" : "RGB ").utf8) else { return nil }
        return Data(profile)
    }

    /// The length of the header and the number of tags (ICC.1, 7.1).
    private static let headerBytes = 132

    /// Returns the first `count` inflated bytes of the stream. Returns nil if there are fewer.
    private static func inflated(_ stream: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        var made = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let isWhole = unsafe stream.span.withUnsafeBufferPointer { source in
                unsafe ilp_inflate(source.baseAddress, source.count, buffer.baseAddress, count, &made)
            }
            initialized = isWhole ? made : 0
        }
        return bytes.count == count ? bytes : nil
    }
}
