import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One frame of an animation: an ANMF chunk (RFC 9649, 2.7.1.1).
struct WebPFrame {
    var left: Int
    var top: Int
    var size: PixelSize
    /// Milliseconds, as stored.
    var duration: Int
    /// Blended over the canvas by its alpha, or written in place of it.
    var blends: Bool
    /// Whether its area is cleared to transparent before the next frame.
    var clears: Bool
    /// Where the image's own chunks lie in the file.
    var data: Range<Int>
    var image: WebPPicture
    /// Whether the file ends within it.
    var isCut = false

    func lies(within canvas: PixelSize) -> Bool {
        left + size.width <= canvas.width && top + size.height <= canvas.height
    }

    /// True when, drawn on a canvas of this size, no pixel of it keeps what was there before.
    func replaces(_ canvas: PixelSize) -> Bool { size == canvas && !(blends && image.hasAlpha) }
}

/// What the header of one coded image says.
struct WebPPicture {
    var size: PixelSize
    var hasAlpha: Bool
    var isLossless: Bool
}

/// A file's canvas, frames and metadata, without its pixels.
struct WebPStructure {
    let canvas: PixelSize
    let hasAlpha: Bool
    let loopCount: Int
    let content: Content
    /// Whether the file ends too early. The image, or the last frame, may then be cut, and other frames be missing.
    let isCut: Bool
    private(set) var colorProfile: Data?
    private(set) var exif: Data?

    enum Content {
        case still(WebPPicture)
        /// Never empty. A single frame still has to be composited on the canvas.
        case frames([WebPFrame])
    }

    /// Checks the container from end to end; time is linear in its length, memory in its number of frames.
    init(inspecting data: Data, limits: DecodingLimits) throws(DecodingFailure) {
        // First, because libwebp takes memory for every chunk.
        let chunks = try RIFFChunks(of: data, limits: limits)
        var file = webp_file()
        let outcome = unsafe data.withUnsafeBytes { bytes in unsafe webp_inspect(bytes.baseAddress, bytes.count, &file)
        }
        isCut = outcome == webp_truncated && file.width > 0
        if !isCut { try check(outcome) }
        canvas = PixelSize(width: Int(file.width), height: Int(file.height))
        try limits.check(canvas)
        try limits.check(.frames, Int(file.frame_count))
        if file.has_profile != 0 { colorProfile = chunks.metadata("ICCP", limits: limits) }
        if file.has_exif != 0 { exif = chunks.metadata("EXIF", limits: limits) }
        guard file.is_animated != 0 else {
            let image = try WebPPicture(header: 0..<data.count, of: data)
            (content, loopCount, hasAlpha) = (.still(image), 1, image.hasAlpha || file.has_alpha != 0)
            return
        }
        let frames = try chunks.frames()
        guard let first = frames.first else {
            throw isCut ? .truncated(.webp) : .malformed(.webp, "the animation has no frames")
        }
        // Of a whole file libwebp has checked that.
        let bounds = canvas
        guard frames.allSatisfy({ $0.lies(within: bounds) }) else {
            throw .malformed(.webp, "a frame lies beyond the canvas")
        }
        content = .frames(frames)
        loopCount = Int(file.loop_count)
        // Parts of the canvas that no frame has reached, or that were cleared, are transparent; and a frame's own alpha counts
        // also where the file's header does not announce it.
        let isCovered = first.size == canvas && !first.isCut && !frames.dropLast().contains { $0.clears }
        hasAlpha = file.has_alpha != 0 || !isCovered || frames.contains { $0.image.hasAlpha }
    }

    var header: ImageHeader {
        var header = ImageHeader(format: .webp, storedSize: canvas, hasAlpha: hasAlpha, colorProfile: colorProfile)
        header.orientation = exif.flatMap(ExifReader.orientation) ?? .up
        if case .frames(let frames) = content, frames.count > 1 {
            header.frameCount = frames.count
            header.frameDelays = frames.map { .milliseconds($0.duration <= 10 ? 100 : $0.duration) }
            header.loopCount = loopCount
        }
        return header
    }

    var frameCount: Int {
        if case .frames(let frames) = content { frames.count } else { 1 }
    }
}

extension WebPPicture {
    init(header range: Range<Int>, of data: Data) throws(DecodingFailure) {
        var image = webp_picture()
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

/// Throws what `outcome` means, unless it is good.
func check(_ outcome: webp_outcome) throws(DecodingFailure) {
    switch outcome {
    case webp_ok: return
    case webp_truncated: throw .truncated(.webp)
    case webp_unsupported: throw .unsupported(.webp, "libwebp does not know this kind")
    case webp_out_of_memory: throw .unsupported(.webp, "libwebp got no memory")
    default: throw .malformed(.webp, "libwebp refuses it")
    }
}
