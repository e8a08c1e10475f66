import Foundation
import ImageCore

/// The images of a GIF file, and what decides how programs show them (GIF89a, sections 18, 20, 23 and 26).
struct GIFLayout {
    private struct Image {
        var left: Int
        var top: Int
        var width: Int
        var height: Int
        /// The offset of the palette.
        var palette: Int
        /// The offset of the block with the disposal, the delay and the transparent color.
        var control: Int?
        /// Whether the data starts with a clear code. Programs show data without one differently.
        var startsWithClear: Bool
    }

    private let file: Data
    private let width: Int
    private let height: Int
    private var images: [Image] = []
    /// The number of blocks that say how often the animation plays.
    private var loopCounts = 0

    /// Returns nil if the blocks are damaged.
    init?(_ data: Data) {
        guard let flags = data.bigEndian(at: 10, 1), let width = data.littleEndian(at: 6, 2),
            let height = data.littleEndian(at: 8, 2)
        else { return nil }
        file = Data(data)
        self.width = width
        self.height = height
        var offset = 13 + Self.paletteByteCount(flags)
        var control: Int?
        while let kind = file.bigEndian(at: offset, 1), kind != 0x3B {
            if kind == 0x2C {
                guard let end = addImage(at: offset, control) else { return nil }
                offset = end
                control = nil
            } else if kind == 0x21, let label = file.bigEndian(at: offset + 1, 1) {
                if label == 0xF9 { control = offset }
                let name = file.part(at: offset + 3, 11)
                if ["NETSCAPE2.0", "ANIMEXTS1.0"].contains(where: { name?.elementsEqual($0.utf8) == true }) {
                    loopCounts += 1
                }
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

    /// Adds the image of a descriptor. Returns the offset of its data, or nil if it is damaged.
    private mutating func addImage(at offset: Int, _ control: Int?) -> Int? {
        let numbers = (0..<4).compactMap { file.littleEndian(at: offset + 1 + 2 * $0, 2) }
        guard let flags = file.bigEndian(at: offset + 9, 1), numbers.count == 4 else { return nil }
        let data = offset + 10 + Self.paletteByteCount(flags)
        guard let bits = file.bigEndian(at: data, 1), bits < 12, let start = file.littleEndian(at: data + 2, 2)
        else { return nil }
        images.append(
            Image(
                left: numbers[0], top: numbers[1], width: numbers[2], height: numbers[3],
                palette: flags & 0x80 == 0 ? 13 : offset + 10, control: control,
                startsWithClear: start & (2 << bits - 1) == 1 << bits))
        return data + 1
    }

    private static func paletteByteCount(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }

    /// Whether programs agree on how the file looks. They don't on what is shown where nothing was drawn, where an
    /// image is removed again, and outside of the canvas.
    ///
    /// - Parameter frameCount: The number of images that the decoder found.
    func isUnambiguous(frameCount: Int) -> Bool {
        guard images.count == frameCount, loopCounts <= 1, let first = images.first, first.width == width,
            first.height == height,
            images.allSatisfy({ $0.left + $0.width <= width && $0.top + $0.height <= height && $0.startsWithClear })
        else { return false }
        if images.count == 1 { return loopCounts == 0 }
        let isPlain = images.allSatisfy { $0.control != nil && (flags(of: $0) >> 2 & 7) <= 1 }
        return isPlain && flags(of: first) & 1 == 0
    }

    private func flags(of image: Image) -> Int { image.control.flatMap { file.bigEndian(at: $0 + 3, 1) } ?? 0 }

    /// The offset of the color that counts as transparent.
    private func transparentColor(of image: Image) -> Int? {
        guard flags(of: image) & 1 == 1, let control = image.control else { return nil }
        return file.bigEndian(at: control + 6, 1).map { image.palette + 3 * $0 }
    }

    /// Returns the file with what decoders don't tell of another file with the same images: delays that programs round,
    /// and the color of transparent pixels. Nil if that is impossible.
    func keepingDetails(of other: GIFLayout) -> Data? {
        guard images.count == other.images.count else { return nil }
        var result = file
        for (image, source) in zip(images, other.images) {
            let delay = source.control.flatMap { other.file.part(at: $0 + 4, 2) } ?? Data(count: 2)
            guard let control = image.control else { return nil }
            result.replaceSubrange(control + 4..<control + 6, with: delay)
        }
        guard images.count == 1, let control = images[0].control else { return result }
        if let from = other.transparentColor(of: other.images[0]), let to = transparentColor(of: images[0]) {
            guard let color = other.file.part(at: from, 3), to + 3 <= result.count else { return nil }
            result.replaceSubrange(to..<to + 3, with: color)
        } else if other.images[0].control == nil {
            result.removeSubrange(control..<control + 8)
        }
        return result
    }
}
