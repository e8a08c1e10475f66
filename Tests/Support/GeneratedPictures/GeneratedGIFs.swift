import Foundation
import ImageCodecGIF
import ImageCore

extension GeneratedPicture {
    static func gifs() throws -> [GeneratedPicture] {
        let encoder = GIFEncoder()
        var pictures: [GeneratedPicture] = []
        for hasAlpha in [false, true] {
            let name = hasAlpha ? "encoded-transparent" : "encoded"
            let still = try encoder.encode(Scene.bitmap(hasAlpha: hasAlpha), options: .init())
            let interlaced = try encoder.encode(Scene.bitmap(hasAlpha: hasAlpha), options: .init(isProgressive: true))
            let moving = try encoder.encode(Scene.frames(hasAlpha: hasAlpha), loopCount: 0, options: .init())
            pictures.append(GeneratedPicture(name, .gif, still))
            pictures.append(GeneratedPicture("\(name)-interlaced", .gif, interlaced))
            pictures.append(GeneratedPicture("\(name)-animated", .gif, moving))
        }
        return pictures + [plain(), disposals(), outside(), deferred()]
    }

    /// Version 87a, no extensions.
    private static func plain() -> GeneratedPicture {
        var file = GIFBuilder(4, 2, version: "87a")
        file.image(0, 0, 4, 2, [0, 1, 2, 3, 4, 5, 6, 7])
        return GeneratedPicture("plain-87a", .gif, file.finished)
    }

    /// Every disposal, small frames, a transparent colour, a palette of their own.
    private static func disposals() -> GeneratedPicture {
        var file = GIFBuilder(5, 4)
        file.loop(3)
        for disposal in 0...4 {
            file.control(delay: disposal, disposal: disposal, transparent: disposal == 1 ? 2 : nil)
            file.image(
                disposal % 3, disposal % 2, 2, 2, [1, 2, 3, 4],
                palette: disposal == 2 ? GIFBuilder.colors.reversed() : nil, isInterlaced: disposal == 3)
        }
        return GeneratedPicture("disposals", .gif, file.finished)
    }

    /// A frame that reaches beyond the canvas, and one that lies outside of it.
    private static func outside() -> GeneratedPicture {
        var file = GIFBuilder(3, 3)
        file.image(2, 2, 4, 4, .init(repeating: 3, count: 16))
        file.control()
        file.image(9, 9, 1, 1, [4])
        return GeneratedPicture("outside", .gif, file.finished)
    }

    /// Codes that refer to longer and longer runs, the last of them to itself (GIF 89a, appendix F).
    private static func deferred() -> GeneratedPicture {
        var file = GIFBuilder(6, 1)
        file.descriptor(0, 0, 6, 1)
        file.append(GIFBuilder.lzw(codes: [8, 1, 10, 11, 9], codeSize: 3) { _ in 4 })
        return GeneratedPicture("self-reference", .gif, file.finished)
    }
}
