import CImageCodecWebP
import ImageCore

/// A frame of an animation: an ANMF chunk (RFC 9649, 2.7.1.1).
struct WebPFrame {
    var area: PixelArea
    /// The stored duration in milliseconds.
    var duration: Int
    /// Whether the frame is blended over the canvas by its alpha, or else replaces it.
    var blends: Bool
    /// Whether the frame's area is cleared to transparent before the next frame.
    var clears: Bool
    /// The range of the image's chunks in the file.
    var data: Range<Int>
    var image: WebPImage
    /// Whether the file ends within the frame.
    var isTruncated = false

    func isContained(in canvas: PixelSize) -> Bool {
        area.left + area.width <= canvas.width && area.top + area.height <= canvas.height
    }

    var onCanvas: CanvasFrame {
        CanvasFrame(
            area: area, disposal: clears ? .clear : .keep, isOpaque: !isTruncated && !(blends && image.hasAlpha))
    }
}

/// The header of an encoded image: a still image or a frame.
struct WebPImage {
    var size: PixelSize
    var hasAlpha: Bool
    var isLossless: Bool
}

/// The canvas, frames and metadata of a file, without pixels.
struct WebPStructure {
    let canvas: PixelSize
    let hasAlpha: Bool
    let loopCount: Int
    let content: Content
    /// Whether the file is truncated. The image or the last frame may then be incomplete, and other frames may be
    /// missing.
    let isTruncated: Bool
    private(set) var colorProfile: Data?
    private var orientation: ImageOrientation?

    enum Content {
        case still(WebPImage)
        /// One or more frames. A single frame is also composited on the canvas.
        case frames([WebPFrame])
    }

    /// Checks the whole container, in time linear in its length and memory linear in the number of frames.
    init(inspecting data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
        // Limits the number of chunks first, because libwebp allocates memory for each.
        let chunks = try RIFFChunks(of: data, limits: limits)
        var file = webp_file()
        let outcome = unsafe data.withUnsafeBytes { bytes in unsafe webp_inspect(bytes.baseAddress, bytes.count, &file)
        }
        isTruncated = outcome == webp_truncated && file.width > 0
        if !isTruncated { try check(outcome) }
        canvas = PixelSize(width: Int(file.width), height: Int(file.height))
        try limits.check(canvas)
        if file.has_profile != 0 { colorProfile = chunks.metadata("ICCP", limits: limits).first }
        if file.has_exif != 0 {
            orientation = chunks.metadata("EXIF", limits: limits).lazy.compactMap(ExifReader.orientation).first
        }
        guard file.is_animated != 0 else {
            let image = try WebPImage(header: 0..<data.count, of: data)
            content = .still(image)
            loopCount = 1
            hasAlpha = image.hasAlpha || file.has_alpha != 0
            return
        }
        let frames = try chunks.frames()
        try limits.check(.frames, frames.count)
        guard let first = frames.first else {
            throw isTruncated ? .truncated(.webP) : .malformed(.webP, "the animation has no frames")
        }
        // libwebp checks this only if the file is complete.
        let bounds = canvas
        guard frames.allSatisfy({ $0.isContained(in: bounds) }) else {
            throw .malformed(.webP, "a frame exceeds the canvas")
        }
        content = .frames(frames)
        loopCount = Int(file.loop_count)
        // Parts of the canvas that no frame covers, or that were cleared, are transparent. A frame can have alpha even
        // if the header of the file does not declare it.
        let isCovered =
            first.area == PixelArea(size: canvas) && !first.isTruncated && !frames.dropLast().contains { $0.clears }
        hasAlpha = file.has_alpha != 0 || !isCovered || frames.contains { $0.image.hasAlpha }
    }

    var header: ImageHeader {
        var header = ImageHeader(
            format: .webP, storedSize: canvas, hasAlpha: hasAlpha,
            color: colorProfile.map(SourceColor.init(profile:)) ?? .sRGB)
        header.orientation = orientation ?? .up
        if case .frames(let frames) = content, frames.count > 1 {
            header.frameCount = frames.count
            header.frameDelays = frames.map { Duration.milliseconds($0.duration).shownDelay }
            header.loopCount = loopCount
        }
        return header
    }

    var frameCount: Int {
        if case .frames(let frames) = content { frames.count } else { 1 }
    }
}

extension WebPImage {
    init(header range: Range<Int>, of data: Data) throws(ImageDecodingError) {
        var image = webp_image()
        try unsafe check(
            data.withUnsafeBytes { bytes in
                let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
                return unsafe webp_read_header(part.baseAddress, part.count, &image)
            })
        size = PixelSize(width: Int(image.width), height: Int(image.height))
        hasAlpha = image.has_alpha != 0
        isLossless = image.is_lossless != 0
    }
}

/// Throws the error of `outcome` unless it is `webp_ok`.
func check(_ outcome: webp_outcome) throws(ImageDecodingError) {
    switch outcome {
    case webp_ok: return
    case webp_truncated: throw .truncated(.webP)
    case webp_unsupported: throw .unsupported(.webP, "libwebp does not support this kind of image")
    case webp_out_of_memory: throw .unsupported(.webP, "libwebp could not allocate memory")
    default: throw .malformed(.webP, "libwebp rejected the data")
    }
}

/// The chunks of a WebP file (RFC 9649, 2.3), in order.
///
/// The list ends at the end of the file according to its header, or at a chunk with an invalid size.
struct RIFFChunks {
    private let data: Data
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
    init(of data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
        self.data = data
        let end = min(data.count, Self.fileLength(of: data) ?? 8)
        var offset = 12
        var frameCount = 0
        while let size = data.littleEndian(at: offset + 4, 4), size <= end - offset - 8 {
            let payload = offset + 8..<offset + 8 + size
            let chunk = Chunk(name: data.chunkName(at: offset), payload: payload)
            if chunk.name == "ANMF" { frameCount += 1 }
            try limits.check(.frames, frameCount)
            if chunks.count - frameCount >= Self.maximumOtherChunks { throw .malformed(.webP, "too many chunks") }
            chunks.append(chunk)
            offset = payload.upperBound + size % 2
        }
        if end == data.count, offset + 8 <= end, data.chunkName(at: offset) == "ANMF" {
            truncatedFrame = offset + 8..<end
        }
    }

    /// Whether the data includes a part of an image, so that its header may be available. Only the last chunk can be
    /// longer than the data.
    var reachesImage: Bool {
        let offset = chunks.last.map { $0.payload.upperBound + $0.payload.count % 2 } ?? 12
        let names = chunks.map(\.name) + [data.chunkName(at: offset)]
        return names.contains { ["VP8 ", "VP8L", "ANMF"].contains($0) }
    }

    /// Returns the length of a file from its header. Returns nil if the header is incomplete.
    static func fileLength(of data: Data) -> Int? {
        data.littleEndian(at: 4, 4).map { 8 + $0 }
    }

    /// Returns the chunks with this name. Skips those that are empty or above the limit.
    func metadata(_ name: String, limits: DecodingLimits) -> [Data] {
        let found = chunks.filter {
            $0.name == name && !$0.payload.isEmpty && $0.payload.count <= limits.metadataByteLimit
        }
        return found.map { data.dropFirst($0.payload.lowerBound).prefix($0.payload.count) }
    }

    /// Returns the frames of the animation, including a truncated last one whose header is complete.
    func frames() throws(ImageDecodingError) -> [WebPFrame] {
        var frames: [WebPFrame] = []
        for chunk in chunks where chunk.name == "ANMF" { frames.append(try frame(chunk.payload)) }
        if let truncatedFrame, truncatedFrame.count > 16 {
            do throws(ImageDecodingError) {
                var last = try frame(truncatedFrame)
                last.isTruncated = true
                frames.append(last)
            } catch {
                if error != .truncated(.webP) { throw error }
            }
        }
        return frames
    }

    private func frame(_ payload: Range<Int>) throws(ImageDecodingError) -> WebPFrame {
        let start = payload.lowerBound
        guard payload.count > 16, let left = self.data.littleEndian(at: start, 3),
            let top = self.data.littleEndian(at: start + 3, 3), let width = self.data.littleEndian(at: start + 6, 3),
            let height = self.data.littleEndian(at: start + 9, 3),
            let duration = self.data.littleEndian(at: start + 12, 3),
            let flags = self.data.littleEndian(at: start + 15, 1)
        else { throw .malformed(.webP, "a frame chunk is too short") }
        let data = start + 16..<payload.upperBound
        let image = try WebPImage(header: data, of: self.data)
        let frame = WebPFrame(
            area: PixelArea(left: 2 * left, top: 2 * top, width: width + 1, height: height + 1), duration: duration,
            blends: flags & 2 == 0, clears: flags & 1 != 0, data: data, image: image)
        guard image.size == PixelSize(width: width + 1, height: height + 1) else {
            throw .malformed(.webP, "a frame and its image differ in size")
        }
        return frame
    }
}

extension Data {
    /// Returns the name of the chunk at an offset.
    func chunkName(at offset: Int) -> String { String(decoding: dropFirst(offset).prefix(4), as: UTF8.self) }
}
