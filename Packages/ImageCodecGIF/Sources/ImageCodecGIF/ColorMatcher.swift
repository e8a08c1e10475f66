import ImageCore

/// Finds the palette's colour for each pixel.
struct ColorMatcher {
    private let palette: [RGBColor]
    private let exact: [RGBColor: UInt8]

    /// - Parameter palette: at most 256 colours; empty when all pixels are transparent.
    init(_ palette: [RGBColor]) {
        self.palette = palette
        exact = Dictionary(zip(palette, UInt8(0)...UInt8.max), uniquingKeysWith: { first, _ in first })
    }

    /// - Parameter spreadsError: whether what a pixel lacks is added to its neighbours that are still to come.
    func indices(
        of bitmap: Bitmap, area: PixelArea, transparentIndex: UInt8, spreadsError: Bool
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
                let wanted = spreadsError ? errors.applied(to: stored, at: x - area.left) : stored
                let index = match(wanted, cache: &cache)
                if spreadsError { errors.spread(wanted, got: palette[Int(index)], at: x - area.left) }
                indices.append(index)
            }
            errors.nextRow()
        }
        return indices
    }

    /// The same colour if there is one, else the one nearest to the middle of the colour's bin.
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

/// The error that Floyd and Steinberg's dithering carries to the pixels to come: 7/16 to the right, 3, 5 and 1/16 below.
private struct ErrorRows {
    /// Three channels for each pixel and one pixel on either side.
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

    mutating func spread(_ wanted: RGBColor, got: RGBColor, at x: Int) {
        let errors = (
            Int32(wanted.red) - Int32(got.red), Int32(wanted.green) - Int32(got.green),
            Int32(wanted.blue) - Int32(got.blue)
        )
        let start = 3 * (x + 1)
        spread(errors.0, at: start)
        spread(errors.1, at: start + 1)
        spread(errors.2, at: start + 2)
    }

    private mutating func spread(_ error: Int32, at position: Int) {
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
