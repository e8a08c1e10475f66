public import ImageCore

/// An image's number, drawn into its middle so that a machine can read it back from what a program shows: four by four squares, black or white.
///
/// The mark is half as wide and high as the image's shorter side. It is read where the whole image is shown, or the largest square of its
/// middle, at any size, in any format that keeps black and white apart.
public enum NumberMark {
    private static let side = 4
    private static let numberBits = 12

    /// Numbers beyond are taken modulo this.
    public static let limit = 1 << numberBits

    /// The number that an image shows; nil when it shows none.
    public static func number(in bitmap: Bitmap) -> Int? {
        var code = 0
        for square in squares(of: bitmap.size) {
            guard let isWhite = isWhite(square, of: bitmap) else { return nil }
            code = code << 1 | (isWhite ? 1 : 0)
        }
        let number = code >> 4
        return code == self.code(for: number) ? number : nil
    }

    static func mark(_ number: Int, on bitmap: Bitmap) -> Bitmap {
        let code = code(for: number % limit)
        var pixels = bitmap.pixels
        for (place, square) in squares(of: bitmap.size).enumerated() {
            let value: UInt8 = code >> (side * side - 1 - place) & 1 == 1 ? 255 : 0
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

    /// Twelve bits of number and four that follow from them: an image without a mark is hardly ever taken for one with it.
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
        func edges(_ start: Int, _ place: Int) -> Range<Int> {
            start + place * width / side..<start + (place + 1) * width / side
        }
        return (0..<side * side).map { Square(columns: edges(left, $0 % side), rows: edges(top, $0 / side)) }
    }

    /// Judged by the middle of the square; nil when that is neither.
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
