import CImageCodecWebP
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A WebP file whose container is known.
final class OpenedWebP: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let structure: WebPStructure
    private let limits: DecodingLimits
    /// Kept from one frame to the next, so that playing in order costs one frame each.
    private var compositor: WebPCompositor?

    init(data: Data, structure: WebPStructure, limits: DecodingLimits) {
        self.data = data
        self.structure = structure
        self.limits = limits
        var header = ImageHeader(
            format: .webp, storedSize: structure.canvas, hasAlpha: structure.hasAlpha,
            colorProfile: structure.colorProfile)
        header.orientation = structure.exif.flatMap(ExifReader.orientation) ?? .up
        if case .frames(let frames) = structure.content, frames.count > 1 {
            header.frameCount = frames.count
            header.frameDelays = frames.map { .milliseconds($0.duration <= 10 ? 100 : $0.duration) }
            header.loopCount = structure.loopCount
        }
        self.header = header
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { structure.canvas }

    /// The decoded picture, or the canvas of an animation.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { 4 * structure.canvas.area }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        guard (0..<structure.frameCount).contains(index) else {
            throw .noSuchFrame(index, frameCount: structure.frameCount)
        }
        guard size == structure.canvas, layout == .rgba8 else {
            throw .unsupported(.webp, "it is decoded at \(structure.canvas) in RGBA alone")
        }
        switch structure.content {
        case .still(let picture):
            try limits.check(.decodedBytes, picture.decodedBytes)
            try WebPPixels(picture, at: 0..<data.count, of: data).send(to: sink)
        case .frames(let frames):
            try composite(frames, through: index)
            try compositor?.send(to: sink)
        }
    }

    private func composite(_ frames: [WebPFrame], through index: Int) throws(DecodingFailure) {
        // Moved out, so that the canvas is not copied on write, and forgotten if a frame fails.
        var working = compositor ?? WebPCompositor(canvas: structure.canvas)
        compositor = nil
        let start = frames[...index].lastIndex { $0.replaces(structure.canvas) } ?? 0
        if working.next > index + 1 || working.next < start { working.restart(at: start) }
        while working.next <= index {
            let frame = frames[working.next]
            try limits.check(.decodedBytes, working.byteCount + frame.picture.decodedBytes)
            try working.draw(frame, pixels: WebPPixels(frame.picture, at: frame.data, of: data))
        }
        compositor = consume working
    }
}
