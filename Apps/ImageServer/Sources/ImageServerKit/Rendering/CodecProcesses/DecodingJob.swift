import CChildProcess
import Foundation
import ImageCore
import ImageLoaderKit

/// The arguments of decoding a still image.
package struct DecodingJob: Codable, Sendable {
    let format: String
    let width, height: Int
    /// Whether the rows have the native layout of the file, not `.rgba8`.
    let isNative: Bool
    let prefersSpeed: Bool
    /// The limit of memory.
    let decodedBytes: Int

    /// Limits the process of a drawing: librsvg has no limits of time and memory.
    ///
    /// The memory is for programs, libraries and fonts, the image, and as much again for each of some filters and groups.
    func limitResources() throws {
        guard format == ImageFormat.svg.rawValue else { return }
        let size = PixelSize(width: width, height: height)
        let error = child_limit(120, 768 << 20 + UInt64(size.area) * 32)
        if error != 0 { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EINVAL) }
    }

    /// Decodes a file that the server has opened within its limits.
    func reply(to file: Data) -> CodecReply {
        let rows = CollectedRows()
        guard let decoder = [any ImageDecoder].all.first(where: { $0.format.rawValue == format }) else {
            return CodecReply(.unsupported, "there is no decoder")
        }
        do throws(ImageDecodingError) {
            let limits = DecodingLimits(
                encodedByteLimit: .max, maxPixels: .max, maxSide: .max, decodedByteLimit: decodedBytes)
            let image = try decoder.open(file, limits: limits)
            try image.decode(
                frame: 0, size: PixelSize(width: width, height: height),
                layout: isNative ? image.header.nativeLayout : .rgba8, preference: prefersSpeed ? .speed : .quality,
                into: rows)
            return CodecReply(.complete, rows.bytes)
        } catch {
            switch error {
            case .truncated: return CodecReply(.truncated, rows.bytes)
            case .malformed(_, let text): return CodecReply(.malformed, text)
            case .unsupported(_, let text): return CodecReply(.unsupported, text)
            default: return CodecReply(.unsupported, "\(error)")
            }
        }
    }
}

private final class CollectedRows: PixelRowSink {
    private(set) var bytes: [UInt8] = []

    func receive(_ row: Span<UInt8>) {
        unsafe row.withUnsafeBufferPointer { row in unsafe bytes.append(contentsOf: row) }
    }
}
