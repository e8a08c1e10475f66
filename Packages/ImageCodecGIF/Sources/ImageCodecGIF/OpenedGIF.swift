import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A GIF whose records are known.
final class OpenedGIF: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let structure: GIFStructure
    private let limits: DecodingLimits
    /// Kept from one frame to the next, so that playing in order costs one frame each.
    private var compositor: GIFCompositor?

    init(data: Data, structure: GIFStructure, limits: DecodingLimits) {
        self.data = data
        self.structure = structure
        self.limits = limits
        let isAnimated = structure.frames.count > 1
        header = ImageHeader(
            format: .gif, storedSize: structure.canvas, frameCount: structure.frames.count,
            frameDelays: isAnimated ? structure.frames.map { Self.shownDelay($0.delay) } : [],
            loopCount: isAnimated ? structure.loopCount : 1, hasAlpha: structure.hasAlpha)
    }

    /// 0 and 1 hundredth are raised to 10, as browsers do.
    private static func shownDelay(_ hundredths: Int) -> Duration {
        .milliseconds(hundredths <= 1 ? 100 : hundredths * 10)
    }

    func decodableSize(covering target: PixelSize) -> PixelSize { structure.canvas }

    /// The canvas, and what a frame that is to be restored covers of it; nothing where rows stream through.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
        guard !streams, structure.frames.indices.contains(index) else { return 0 }
        return GIFCompositor(canvas: structure.canvas).byteCount(drawing: structure.frames[index])
    }

    private var streams: Bool { structure.frames.count == 1 && !structure.frames[0].isInterlaced }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
        into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        guard structure.frames.indices.contains(index) else {
            let hasNotCome = structure.isCut && index >= structure.frames.count
            throw hasNotCome ? .truncated(.gif) : .noSuchFrame(index, frameCount: structure.frames.count)
        }
        guard size == structure.canvas, layout == .rgba8 else {
            throw .unsupported(.gif, "it is decoded at \(structure.canvas) in RGBA alone")
        }
        if streams {
            try GIFRowStreamer(frame: structure.frames[0], canvas: structure.canvas).stream(from: data.span, into: sink)
        } else {
            try composite(through: index, for: sink)
            try compositor?.send(to: sink)
        }
    }

    private func composite(through index: Int, for sink: any PixelRowSink) throws(DecodingFailure) {
        // Moved out, so that the canvas is not copied on write, and forgotten if a frame fails half drawn.
        var working = compositor ?? GIFCompositor(canvas: structure.canvas)
        compositor = nil
        // A last frame that is cut may leave part of what is below it.
        let mayBeCut = structure.isCut && index == structure.frames.count - 1
        let whole = structure.frames[..<(mayBeCut ? index : index + 1)]
        let start = whole.lastIndex { $0.replaces(structure.canvas) } ?? 0
        if working.next > index + 1 || working.next < start { working.restart(at: start) }
        while working.next <= index {
            try limits.check(.decodedBytes, working.byteCount(drawing: structure.frames[working.next]))
            do throws(DecodingFailure) {
                try working.draw(structure.frames[working.next], from: data.span, for: sink)
            } catch {
                if error == .truncated(.gif), working.next == index { try working.send(to: sink) }
                throw error
            }
        }
        compositor = consume working
    }
}
