import ImageCore

extension Bitmap {
    /// Returns the image scaled down to a size, or unchanged if it has this size.
    ///
    /// Each pixel is the average of a box of whole source pixels, in which colors are weighted by alpha.
    func averaged(to target: PixelSize) -> Bitmap {
        guard target != size else { return self }
        let source = pixels
        var result: [UInt8] = []
        result.reserveCapacity(target.area * 4)
        for y in 0..<target.height {
            let rows = Self.box(y, of: target.height, length: size.height)
            for x in 0..<target.width {
                let columns = Self.box(x, of: target.width, length: size.width)
                result += average(of: source, columns, rows)
            }
        }
        return Bitmap(size: target, pixels: result, isOpaque: isOpaque)
    }

    /// Returns the range of source pixels that a pixel covers. The ranges of all pixels have no gaps and no overlap.
    private static func box(_ position: Int, of count: Int, length: Int) -> Range<Int> {
        position * length / count..<(position + 1) * length / count
    }

    /// Returns the channels of the average, rounded to nearest.
    private func average(of pixels: [UInt8], _ columns: Range<Int>, _ rows: Range<Int>) -> [UInt8] {
        var (red, green, blue, alpha) = (0, 0, 0, 0)
        for row in rows {
            for column in columns {
                let index = (row * size.width + column) * 4
                let weight = Int(pixels[index + 3])
                red += Int(pixels[index]) * weight
                green += Int(pixels[index + 1]) * weight
                blue += Int(pixels[index + 2]) * weight
                alpha += weight
            }
        }
        guard alpha > 0 else { return [0, 0, 0, 0] }
        let count = columns.count * rows.count
        return [red, green, blue].map { UInt8(($0 + alpha / 2) / alpha) } + [UInt8((alpha + count / 2) / count)]
    }
}
