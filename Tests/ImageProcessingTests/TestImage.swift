import ImageCore
import ImageTesting

/// Creates and compares images.
enum TestImage {
    static func noise(_ size: PixelSize, isOpaque: Bool) -> Bitmap {
        var random = SeededRandom(seed: 7)
        let pixels = (0..<size.area * 4).map { index in
            isOpaque && index % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &random)
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
    }

    /// Returns a gray image. `level` returns the brightness at a column and row.
    static func opaque(_ size: PixelSize, level: (Int, Int) -> UInt8) -> Bitmap {
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let value = level(index % size.width, index / size.width)
            return [value, value, value, 255]
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    /// Returns an image of a single color.
    static func plain(_ size: PixelSize, _ pixel: [UInt8]) -> Bitmap {
        Bitmap(
            size: size, pixels: Array(repeatElement(pixel, count: size.area).joined()), isOpaque: pixel[3] == 255)
    }

    static func largestError(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard left.count == right.count else { return .max }
        return zip(left, right).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }
}
