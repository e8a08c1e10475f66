import Foundation
import ImageCodecPNG
import ImageCore

extension GeneratedImage {
    static func pngs() throws -> [GeneratedImage] {
        try encodedPNGs() + plainPNGs() + oddPNGs()
    }

    private static func encodedPNGs() throws -> [GeneratedImage] {
        var images: [GeneratedImage] = []
        for hasAlpha in [false, true] {
            for isProgressive in [false, true] {
                let file = try PNGEncoder().encode(
                    Scene.bitmap(hasAlpha: hasAlpha), options: EncodingOptions(isProgressive: isProgressive))
                let name = "encoded-\(hasAlpha ? "rgba" : "rgb")\(isProgressive ? "-interlaced" : "")"
                images.append(GeneratedImage(name, .png, file))
            }
        }
        let flat = Bitmap(
            size: PixelSize(width: 40, height: 30), pixels: .init(repeating: 255, count: 4800), isOpaque: true)
        images.append(GeneratedImage("encoded-flat", .png, try PNGEncoder().encode(flat, options: .init())))
        let frames = [true, false].map {
            AnimationFrame(bitmap: Scene.bitmap(hasAlpha: $0), delay: .milliseconds(40))
        }
        let animation = try PNGEncoder().encode(frames, loopCount: 2, options: EncodingOptions(isProgressive: true))
        images.append(GeneratedImage("encoded-animation", .png, animation))
        return images
    }

    /// PNGs of all color types and depths (W3C PNG, table 11.1), plain and interlaced, with a different filter in each row.
    private static func plainPNGs() -> [GeneratedImage] {
        let kinds: [(colorType: UInt8, channels: Int, depths: [UInt8])] = [
            (0, 1, [1, 2, 4, 8, 16]), (2, 3, [8, 16]), (3, 1, [1, 2, 4, 8]), (4, 2, [8, 16]), (6, 4, [8, 16]),
        ]
        return kinds.flatMap { kind in
            kind.depths.flatMap { depth in
                [UInt8(0), 1].map { interlace in
                    let file = rawPNG(kind.colorType, kind.channels, depth, interlace)
                    return GeneratedImage("raw-\(kind.colorType)-\(depth)-\(interlace)", .png, file.data)
                }
            }
        }
    }

    private static func rawPNG(_ colorType: UInt8, _ channels: Int, _ depth: UInt8, _ interlace: UInt8) -> RawPNG {
        let bits = channels * Int(depth)
        let before = colorType == 3 ? [RawPNG.Chunk("PLTE", palette(colors: min(1 << depth, 16)))] : []
        var scanlines: [[UInt8]] = []
        for pass in interlace == 0 ? [Pass(0, 0, 1, 1)] : Pass.adam7 {
            let (width, height) = (pass.columns(of: 9), pass.rows(of: 7))
            if width == 0 { continue }
            for row in 0..<height {
                // Palette indices are restricted to the palette's colors, and aren't filtered.
                let filter = colorType == 3 ? 0 : UInt8((scanlines.count + row) % 5)
                let bytes = (0..<(width * bits + 7) / 8).map {
                    UInt8(($0 * 37 + row * 11) & (colorType == 3 ? 0x05 : 255))
                }
                scanlines.append([filter] + bytes)
            }
        }
        return RawPNG(
            width: 9, height: 7, depth: depth, colorType: colorType, interlace: interlace,
            scanlines: scanlines, before: before)
    }

    /// An interlacing pass (W3C PNG, 8.2): its start and steps.
    private struct Pass {
        let x: Int, y: Int, dx: Int, dy: Int

        init(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int) { (self.x, self.y, self.dx, self.dy) = (x, y, dx, dy) }

        static let adam7 = [
            Pass(0, 0, 8, 8), Pass(4, 0, 8, 8), Pass(0, 4, 4, 8), Pass(2, 0, 4, 4), Pass(0, 2, 2, 4), Pass(1, 0, 2, 2),
            Pass(0, 1, 1, 2),
        ]

        func columns(of width: Int) -> Int { max(0, (width - x + dx - 1) / dx) }
        func rows(of height: Int) -> Int { max(0, (height - y + dy - 1) / dy) }
    }

    private static func palette(colors: Int) -> [UInt8] { (0..<colors * 3).map { UInt8($0 * 83 & 255) } }

    private static func oddPNGs() -> [GeneratedImage] {
        let gray = RawPNG(width: 3, height: 2, colorType: 0, scanlines: [[0, 1, 200, 3], [2, 4, 5, 6]])
        var images: [GeneratedImage] = []
        func add(_ name: String, _ chunks: [RawPNG.Chunk], after: [RawPNG.Chunk] = []) {
            var file = gray
            (file.before, file.after) = (chunks, after)
            images.append(GeneratedImage(name, .png, file.data))
        }
        add("transparent-gray", [.init("tRNS", [0, 200])])
        add("profile", [RawPNG.profileChunk(RawPNG.profile(space: "GRAY"))])
        add("hlg", [.init("cICP", [9, 18, 0, 1])])
        add("exif", [], after: [.init("eXIf", Scene.exif(orientation: 8))])
        add("gamma-and-text", [.init("gAMA", RawPNG.uint32(45_455)), .init("sRGB", [0]), .init("tEXt", [65, 0, 66])])
        var paletted = RawPNG(width: 4, height: 1, depth: 2, colorType: 3, scanlines: [[0, 0b0001_1011]])
        paletted.before = [.init("PLTE", palette(colors: 4)), .init("tRNS", [0, 100])]
        images.append(GeneratedImage("transparent-palette", .png, paletted.data))
        var deep = rawPNG(6, 4, 16, 1)
        deep.before = [.init("cICP", [9, 16, 0, 1]), .init("cLLI", RawPNG.uint32(6_000_000) + RawPNG.uint32(0))]
        images.append(GeneratedImage("pq-interlaced", .png, deep.data))
        let control = RawPNG.uint32(0) + RawPNG.uint32(3) + RawPNG.uint32(2) + RawPNG.uint32(0) + RawPNG.uint32(0)
        let second = RawPNG.uint32(1) + control.dropFirst(4) + [0, 1, 0, 10, 1, 1]
        let pixels = RawPNG.uint32(2) + RawPNG.deflated([0, 9, 8, 7, 0, 6, 5, 4])
        let animation = RawPNG.Chunk("acTL", RawPNG.uint32(2) + RawPNG.uint32(0))
        let first = RawPNG.Chunk("fcTL", control + [0, 1, 0, 10, 0, 0])
        add("animated", [animation, first], after: [.init("fcTL", Array(second)), .init("fdAT", pixels)])
        let small = [2, 1, 1, 2, 1].flatMap(RawPNG.uint32) + [0, 0, 0, 0, 2, 0]
        add(
            "animated-apart", [animation],
            after: [
                first, .init("fdAT", RawPNG.uint32(1) + pixels.dropFirst(4)), .init("fcTL", small),
                .init("fdAT", RawPNG.uint32(3) + RawPNG.deflated([0, 7])),
            ])
        return images
    }
}
