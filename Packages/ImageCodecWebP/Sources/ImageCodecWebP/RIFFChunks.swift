import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The chunks of a WebP file (RFC 9649, 2.3), in order.
///
/// The list ends at the end of the file according to its header, or at a chunk with an invalid size.
struct RIFFChunks {
    private let data: Data
    private let bytes: RIFFBytes
    private var chunks: [Chunk] = []
    /// The range of a frame that the data ends in.
    private var truncatedFrame: Range<Int>?

    private struct Chunk {
        var name: String
        var payload: Range<Int>
    }

    /// The maximum number of chunks other than frames. An empty chunk takes 8 bytes of the file but several times as
    /// much memory.
    private static let maximumOtherChunks = 10_000

    /// Reads the chunks. Throws if there are too many frames or other chunks.
    init(of data: Data, limits: DecodingLimits) throws(DecodingFailure) {
        self.data = data
        bytes = RIFFBytes(data: data)
        let end = min(data.count, Self.fileLength(of: data) ?? 8)
        var offset = 12
        var frameCount = 0
        while let size = bytes.integer(at: offset + 4, length: 4), size <= end - offset - 8 {
            let payload = offset + 8..<offset + 8 + size
            let chunk = Chunk(name: bytes.name(at: offset), payload: payload)
            if chunk.name == "ANMF" { frameCount += 1 }
            try limits.check(.frames, frameCount)
            if chunks.count - frameCount >= Self.maximumOtherChunks { throw .malformed(.webp, "too many chunks") }
            chunks.append(chunk)
            offset = payload.upperBound + size % 2
        }
        if end == data.count, offset + 8 <= end, bytes.name(at: offset) == "ANMF" { truncatedFrame = offset + 8..<end }
    }

    /// Whether the data includes a part of an image, so that its header may be available. Only the last chunk can be
    /// longer than the data.
    var reachesImage: Bool {
        let offset = chunks.last.map { $0.payload.upperBound + $0.payload.count % 2 } ?? 12
        let names = chunks.map(\.name) + [bytes.name(at: offset)]
        return names.contains { ["VP8 ", "VP8L", "ANMF"].contains($0) }
    }

    /// Returns the length of a file from its header. Returns nil if the header is incomplete.
    static func fileLength(of data: Data) -> Int? {
        RIFFBytes(data: data).integer(at: 4, length: 4).map { 8 + $0 }
    }

    /// Returns the chunks with this name. Skips those that are empty or above the limit.
    func metadata(_ name: String, limits: DecodingLimits) -> [Data] {
        let found = chunks.filter {
            $0.name == name && !$0.payload.isEmpty && $0.payload.count <= limits.metadataBytes
        }
        return found.map { data.dropFirst($0.payload.lowerBound).prefix($0.payload.count) }
    }

    /// Returns the frames of the animation, including a truncated last one whose header is complete.
    func frames() throws(DecodingFailure) -> [WebPFrame] {
        var frames: [WebPFrame] = []
        for chunk in chunks where chunk.name == "ANMF" { frames.append(try frame(chunk.payload)) }
        if let truncatedFrame, truncatedFrame.count > 16 {
            do throws(DecodingFailure) {
                var last = try frame(truncatedFrame)
                last.isTruncated = true
                frames.append(last)
            } catch {
                if error != .truncated(.webp) { throw error }
            }
        }
        return frames
    }

    private func frame(_ payload: Range<Int>) throws(DecodingFailure) -> WebPFrame {
        let start = payload.lowerBound
        guard payload.count > 16, let left = bytes.integer(at: start, length: 3),
            let top = bytes.integer(at: start + 3, length: 3), let width = bytes.integer(at: start + 6, length: 3),
            let height = bytes.integer(at: start + 9, length: 3),
            let duration = bytes.integer(at: start + 12, length: 3),
            let flags = bytes.integer(at: start + 15, length: 1)
        else { throw .malformed(.webp, "a frame chunk is too short") }
        let data = start + 16..<payload.upperBound
        let image = try WebPImage(header: data, of: self.data)
        let frame = WebPFrame(
            left: 2 * left, top: 2 * top, size: PixelSize(width: width + 1, height: height + 1), duration: duration,
            blends: flags & 2 == 0, clears: flags & 1 != 0, data: data, image: image)
        guard image.size == frame.size else { throw .malformed(.webp, "a frame and its image differ in size") }
        return frame
    }
}

/// Reads little-endian integers with bounds checks.
struct RIFFBytes {
    let data: Data

    /// - Parameter length: 1 to 4 bytes.
    func integer(at offset: Int, length: Int) -> Int? {
        guard offset >= 0, offset + length <= data.count else { return nil }
        let start = data.startIndex + offset
        return data[start..<start + length].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func name(at offset: Int) -> String {
        String(decoding: data.dropFirst(offset).prefix(4), as: UTF8.self)
    }
}
