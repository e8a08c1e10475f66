public import ImageCore

/// A machine-readable mark that shows an image's number. Tests read it from a screen to find out which image is
/// displayed.
///
/// The mark has four by four black or white squares in the image's center. Its sides are half as long as the image's
/// shorter side. It can be read from the whole image or from its largest central square, at any size, in any format
/// that preserves black and white.
public enum NumberMark {
    private static let side = 4
    private static let numberBits = 12

    /// The number of distinct marks. An image shows its number modulo this limit.
    public static let limit = 1 << numberBits

    /// Returns the number that an image shows, or nil if it has no mark.
    public static func number(in bitmap: Bitmap) -> Int? {
        var code = 0
        for square in squares(of: bitmap.size) {
            guard let isWhite = isWhite(square, of: bitmap) else { return nil }
            code = code << 1 | (isWhite ? 1 : 0)
        }
        let number = code >> 4
        return code == self.code(for: number) ? number : nil
    }

    /// Returns the bitmap with the mark of a number.
    static func mark(_ number: Int, on bitmap: Bitmap) -> Bitmap {
        let code = code(for: number % limit)
        var pixels = bitmap.pixels
        for (bit, square) in squares(of: bitmap.size).enumerated() {
            let value: UInt8 = code >> (side * side - 1 - bit) & 1 == 1 ? 255 : 0
            for y in square.rows {
                for x in square.columns {
                    let index = (y * bitmap.size.width + x) * 4
                    (pixels[index], pixels[index + 1], pixels[index + 2], pixels[index + 3]) = (
                        value, value, value, 255
                    )
                }
            }
        }
        return Bitmap(size: bitmap.size, pixels: pixels, isOpaque: bitmap.isOpaque)
    }

    /// Returns 12 bits of the number and 4 check bits. The check bits make it unlikely that an image without a mark
    /// appears to have one.
    private static func code(for number: Int) -> Int {
        let digits = (number >> 8 ^ number >> 4 ^ number) & 15
        return number << 4 | (digits ^ 0b1010)
    }

    private struct Square {
        var columns: Range<Int>
        var rows: Range<Int>
    }

    private static func squares(of size: PixelSize) -> [Square] {
        let width = min(size.width, size.height) / 2
        let (left, top) = ((size.width - width) / 2, (size.height - width) / 2)
        func edges(_ start: Int, _ index: Int) -> Range<Int> {
            start + index * width / side..<start + (index + 1) * width / side
        }
        return (0..<side * side).map { Square(columns: edges(left, $0 % side), rows: edges(top, $0 / side)) }
    }

    /// Returns whether the center of a square is white, or nil if it is neither white nor black.
    private static func isWhite(_ square: Square, of bitmap: Bitmap) -> Bool? {
        guard !square.columns.isEmpty, !square.rows.isEmpty else { return nil }
        let (x, y) = (
            (square.columns.lowerBound + square.columns.upperBound) / 2,
            (square.rows.lowerBound + square.rows.upperBound) / 2
        )
        let index = (y * bitmap.size.width + x) * 4
        let sum = bitmap.pixels[index..<index + 3].reduce(0) { $0 + Int($1) }
        return sum > 3 * 170 ? true : sum < 3 * 85 ? false : nil
    }
}
