import ImageCore

/// Maps pixels to the indices of palette colors.
struct ColorMatcher {
    private let palette: [RGBColor]
    private let exact: [RGBColor: UInt8]

    /// - Parameter palette: Up to 256 colors. Empty if all pixels are transparent.
    init(_ palette: [RGBColor]) {
        self.palette = palette
        exact = Dictionary(zip(palette, UInt8(0)...UInt8.max), uniquingKeysWith: { first, _ in first })
    }

    /// Returns the palette index of each pixel, row by row.
    ///
    /// - Parameters:
    ///   - area: The part of the bitmap to map.
    ///   - transparentIndex: The index of pixels whose alpha is below `IndexedImage.opaqueAlpha`.
    ///   - diffusesError: Whether the color error of a pixel is diffused to its unprocessed neighbors.
    func indices(
        of bitmap: Bitmap, area: PixelArea, transparentIndex: UInt8, diffusesError: Bool
    ) -> [UInt8] {
        var cache = [UInt16](repeating: .max, count: ColorStatistics.binCount)
        var indices: [UInt8] = []
        indices.reserveCapacity(area.width * area.height)
        var errors = ErrorRows(width: area.width)
        let pixels = bitmap.pixels.span
        for y in area.top..<area.top + area.height {
            for x in area.left..<area.left + area.width {
                let offset = (y * bitmap.size.width + x) * 4
                guard pixels[offset + 3] >= IndexedImage.opaqueAlpha else {
                    indices.append(transparentIndex)
                    continue
                }
                let stored = RGBColor(red: pixels[offset], green: pixels[offset + 1], blue: pixels[offset + 2])
                let target = diffusesError ? errors.applied(to: stored, at: x - area.left) : stored
                let index = match(target, cache: &cache)
                if diffusesError { errors.diffuse(target, actual: palette[Int(index)], at: x - area.left) }
                indices.append(index)
            }
            errors.nextRow()
        }
        return indices
    }

    /// Returns the same color if the palette has it, or else the color nearest to the center of the color's bin.
    private func match(_ color: RGBColor, cache: inout [UInt16]) -> UInt8 {
        if let index = exact[color] { return index }
        let bin = color.bin
        if cache[bin] == .max {
            let middle = RGBColor(red: color.red & 0xF8 | 4, green: color.green & 0xF8 | 4, blue: color.blue & 0xF8 | 4)
            let nearest = palette.indices.min {
                palette[$0].distance(to: middle) < palette[$1].distance(to: middle)
            }
            cache[bin] = UInt16(nearest ?? 0)
        }
        return UInt8(truncatingIfNeeded: cache[bin])
    }
}

/// The diffused errors of two rows, in sixteenths.
///
/// Floyd–Steinberg dithering passes 7/16 of an error to the right, and 3/16, 5/16 and 1/16 to the row below.
private struct ErrorRows {
    /// Three channels for each pixel, with a margin of one pixel on each side.
    private var current: [Int32]
    private var below: [Int32]

    init(width: Int) {
        current = [Int32](repeating: 0, count: 3 * (width + 2))
        below = current
    }

    func applied(to color: RGBColor, at x: Int) -> RGBColor {
        let start = 3 * (x + 1)
        return RGBColor(
            red: Self.sum(color.red, current[start]), green: Self.sum(color.green, current[start + 1]),
            blue: Self.sum(color.blue, current[start + 2]))
    }

    private static func sum(_ value: UInt8, _ sixteenths: Int32) -> UInt8 {
        UInt8(min(max(Int32(value) + (sixteenths + 8) >> 4, 0), 255))
    }

    mutating func diffuse(_ target: RGBColor, actual: RGBColor, at x: Int) {
        let errors = (
            Int32(target.red) - Int32(actual.red), Int32(target.green) - Int32(actual.green),
            Int32(target.blue) - Int32(actual.blue)
        )
        let start = 3 * (x + 1)
        diffuse(errors.0, at: start)
        diffuse(errors.1, at: start + 1)
        diffuse(errors.2, at: start + 2)
    }

    private mutating func diffuse(_ error: Int32, at position: Int) {
        current[position + 3] += 7 * error
        below[position - 3] += 3 * error
        below[position] += 5 * error
        below[position + 3] += error
    }

    mutating func nextRow() {
        swap(&current, &below)
        for index in below.indices { below[index] = 0 }
    }
}
