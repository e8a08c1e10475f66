import Foundation
import ImageCore

/// The images of a GIF file, as far as programs agree on them (GIF89a, sections 18, 20).
struct GIFLayout {
    /// The number of images in the file. Decoders can ignore some of them.
    private(set) var imageCount = 0
    /// Whether the first image covers the canvas. Programs fill the rest differently.
    private(set) var firstCoversCanvas = false

    /// Returns nil if the blocks are damaged.
    init?(_ file: Data) {
        guard let flags = file.bigEndian(at: 10, 1), let canvas = file.part(6, 4) else { return nil }
        var offset = 13 + Self.paletteByteCount(flags)
        while let kind = file.bigEndian(at: offset, 1), kind != 0x3B {
            if kind == 0x2C {
                guard let area = file.part(offset + 1, 8), let flags = file.bigEndian(at: offset + 9, 1) else {
                    return nil
                }
                if imageCount == 0 { firstCoversCanvas = area.elementsEqual(Data(count: 4) + canvas) }
                imageCount += 1
                offset += 11 + Self.paletteByteCount(flags)
            } else if kind == 0x21 {
                offset += 2
            } else {
                return nil
            }
            // The data in sub-blocks, up to an empty one.
            while let length = file.bigEndian(at: offset, 1) {
                offset += 1 + length
                if length == 0 { break }
            }
        }
    }

    private static func paletteByteCount(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }
}
