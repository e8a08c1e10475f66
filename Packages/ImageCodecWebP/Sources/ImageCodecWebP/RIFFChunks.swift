import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The chunks of a WebP file (RFC 9649, 2.3), in order. Stops where the file's own size says so, or the sizes of chunks
/// stop making sense.
struct RIFFChunks {
    private let data: Data
    private let bytes: RIFFBytes
    private var chunks: [Chunk] = []
    /// A frame at the end of the data that is longer than what is there.
    private var cutFrame: Range<Int>?

    private struct Chunk {
        var name: String
        var payload: Range<Int>
    }

    /// More chunks that are no frames than any file needs: an empty one takes 8 bytes of a file, and of memory a multiple.
    private static let maximumOtherChunks = 10_000

    /// Throws when there are more frames than the limit, or absurdly many other chunks.
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
        if end == data.count, offset + 8 <= end, bytes.name(at: offset) == "ANMF" { cutFrame = offset + 8..<end }
    }

    /// Whether the data reach into an image, so that its header may be there: of chunks that are longer than the data only the
    /// last can be one.
    var reachesImage: Bool {
        let offset = chunks.last.map { $0.payload.upperBound + $0.payload.count % 2 } ?? 12
        let names = chunks.map(\.name) + [bytes.name(at: offset)]
        return names.contains { ["VP8 ", "VP8L", "ANMF"].contains($0) }
    }

    /// The length of a file as its header tells it; nil when that has not come.
    static func fileLength(of data: Data) -> Int? {
        RIFFBytes(data: data).integer(at: 4, length: 4).map { 8 + $0 }
    }

    /// A copy of the first chunk of this name; nil when there is none, or it is empty or above the limit.
    func metadata(_ name: String, limits: DecodingLimits) -> Data? {
        guard let range = chunks.first(where: { $0.name == name })?.payload,
            !range.isEmpty, range.count <= limits.metadataBytes
        else { return nil }
        return Data(data.dropFirst(range.lowerBound).prefix(range.count))
    }

    func frames() throws(DecodingFailure) -> [WebPFrame] {
        var frames: [WebPFrame] = []
        for chunk in chunks where chunk.name == "ANMF" { frames.append(try frame(chunk.payload)) }
        if let cutFrame, cutFrame.count > 16 {
            do throws(DecodingFailure) {
                var last = try frame(cutFrame)
                last.isCut = true
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
        else { throw .malformed(.webp, "a frame is too short") }
        let data = start + 16..<payload.upperBound
        let image = try WebPPicture(header: data, of: self.data)
        let frame = WebPFrame(
            left: 2 * left, top: 2 * top, size: PixelSize(width: width + 1, height: height + 1), duration: duration,
            blends: flags & 2 == 0, clears: flags & 1 != 0, data: data, image: image)
        guard image.size == frame.size else { throw .malformed(.webp, "a frame and its image differ in size") }
        return frame
    }
}

/// Bounds-checked little-endian integers.
private struct RIFFBytes {
    let data: Data

    /// - Parameter length: from 1 to 4 bytes.
    func integer(at offset: Int, length: Int) -> Int? {
        guard offset >= 0, offset + length <= data.count else { return nil }
        let start = data.startIndex + offset
        return data[start..<start + length].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func name(at offset: Int) -> String {
        String(decoding: data.dropFirst(offset).prefix(4), as: UTF8.self)
    }
}
