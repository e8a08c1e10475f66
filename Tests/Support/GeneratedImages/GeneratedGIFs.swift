import Foundation
import ImageCodecGIF
import ImageCore

extension GeneratedImage {
    static func gifs() throws -> [GeneratedImage] {
        let encoder = GIFEncoder()
        var images: [GeneratedImage] = []
        for hasAlpha in [false, true] {
            let name = hasAlpha ? "encoded-transparent" : "encoded"
            let still = try encoder.encode(Scene.bitmap(hasAlpha: hasAlpha), options: .init())
            let interlaced = try encoder.encode(Scene.bitmap(hasAlpha: hasAlpha), options: .init(isProgressive: true))
            let moving = try encoder.encode(Scene.frames(hasAlpha: hasAlpha), loopCount: 0, options: .init())
            images.append(GeneratedImage(name, .gif, still))
            images.append(GeneratedImage("\(name)-interlaced", .gif, interlaced))
            images.append(GeneratedImage("\(name)-animated", .gif, moving))
        }
        return images + [plain(), disposals(), outside(), deferred()]
    }

    /// A GIF of version 87a without extensions.
    private static func plain() -> GeneratedImage {
        var file = GIFBuilder(4, 2, version: "87a")
        file.image(0, 0, 4, 2, [0, 1, 2, 3, 4, 5, 6, 7])
        return GeneratedImage("plain-87a", .gif, file.finished)
    }

    /// A GIF with all disposals, small frames, a transparent color and local palettes.
    private static func disposals() -> GeneratedImage {
        var file = GIFBuilder(5, 4)
        file.loop(3)
        for disposal in 0...4 {
            file.control(delay: disposal, disposal: disposal, transparent: disposal == 1 ? 2 : nil)
            file.image(
                disposal % 3, disposal % 2, 2, 2, [1, 2, 3, 4],
                palette: disposal == 2 ? GIFBuilder.colors.reversed() : nil, isInterlaced: disposal == 3)
        }
        return GeneratedImage("disposals", .gif, file.finished)
    }

    /// A GIF with a frame that extends beyond the canvas, and one completely outside.
    private static func outside() -> GeneratedImage {
        var file = GIFBuilder(3, 3)
        file.image(2, 2, 4, 4, .init(repeating: 3, count: 16))
        file.control()
        file.image(9, 9, 1, 1, [4])
        return GeneratedImage("outside", .gif, file.finished)
    }

    /// A GIF with codes for longer and longer runs, the last of which refers to itself (GIF 89a, appendix F).
    private static func deferred() -> GeneratedImage {
        var file = GIFBuilder(6, 1)
        file.descriptor(0, 0, 6, 1)
        file.append(GIFBuilder.lzw(codes: [8, 1, 10, 11, 9], codeSize: 3) { _ in 4 })
        return GeneratedImage("self-reference", .gif, file.finished)
    }
}
