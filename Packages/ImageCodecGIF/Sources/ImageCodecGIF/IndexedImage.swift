import ImageCore

/// Red, green and blue.
typealias RGBColor = SIMD3<UInt8>

/// A part of an image as palette indices, with up to 256 colors, one of which may be transparent.
struct IndexedImage {
    /// The colors, including the transparent one.
    private(set) var palette: [RGBColor]
    let transparentIndex: Int?
    /// One index for each pixel, from the top left of the area.
    private(set) var indices: [UInt8] = []

    /// Pixels with alpha below 128 become transparent.
    init(_ bitmap: Bitmap, area: PixelArea) {
        let pixels = bitmap.pixels
        func color(_ x: Int, _ y: Int) -> RGBColor? {
            let offset = ((area.top + y) * bitmap.size.width + area.left + x) * 4
            return pixels[offset + 3] < 128 ? nil : RGBColor(pixels[offset], pixels[offset + 1], pixels[offset + 2])
        }
        var statistics = ColorStatistics()
        for y in 0..<area.height {
            for x in 0..<area.width { statistics.add(color(x, y)) }
        }
        let capacity = statistics.hasTransparency ? 255 : 256
        let isExact = statistics.colors.count <= capacity
        palette = isExact ? statistics.colors : medianCut(statistics.bins, colorCount: capacity)
        transparentIndex = statistics.hasTransparency ? palette.count : nil
        var matcher = ColorMatcher(palette)
        var errors = ErrorRows(width: area.width)
        indices.reserveCapacity(area.width * area.height)
        for y in 0..<area.height {
            for x in 0..<area.width {
                guard let stored = color(x, y) else {
                    indices.append(UInt8(palette.count))
                    continue
                }
                let target = isExact ? stored : errors.applied(to: stored, at: x)
                let index = matcher.index(of: target)
                if !isExact { errors.diffuse(target.wide &- palette[Int(index)].wide, at: x) }
                indices.append(index)
            }
            errors.nextRow()
        }
        if statistics.hasTransparency { palette.append(RGBColor()) }
    }

    /// The palette as bytes, padded with black to a power of two from 2 to 256 colors, as the format requires.
    var paddedPalette: [UInt8] {
        var count = 2
        while count < palette.count { count *= 2 }
        return palette.flatMap { [$0.x, $0.y, $0.z] } + [UInt8](repeating: 0, count: 3 * (count - palette.count))
    }
}

extension RGBColor {
    var wide: SIMD3<Int32> { SIMD3<Int32>(truncatingIfNeeded: self) }

    /// The index of the color's bin, from the five high bits of each channel.
    fileprivate var bin: Int { Int(x >> 3) << 10 | Int(y >> 3) << 5 | Int(z >> 3) }
}

/// The colors of an image and their frequencies.
private struct ColorStatistics {
    private(set) var bins = [ColorBin](repeating: ColorBin(), count: 1 << 15)
    private(set) var hasTransparency = false
    /// The first 257 colors in order of appearance.
    private(set) var colors: [RGBColor] = []
    private var seen: Set<RGBColor> = []
    private var last: RGBColor?

    mutating func add(_ color: RGBColor?) {
        guard let color else { return hasTransparency = true }
        bins[color.bin].count += 1
        bins[color.bin].sum &+= SIMD3<Int>(truncatingIfNeeded: color)
        if colors.count <= 256, color != last, seen.insert(color).inserted { colors.append(color) }
        last = color
    }
}

/// Maps colors to palette indices.
private struct ColorMatcher {
    private let palette: [RGBColor]
    private let exact: [RGBColor: UInt8]
    /// The index of the color nearest to the center of each bin.
    private var nearest = [UInt8?](repeating: nil, count: 1 << 15)

    init(_ palette: [RGBColor]) {
        self.palette = palette
        exact = Dictionary(zip(palette, UInt8(0)...UInt8.max), uniquingKeysWith: { first, _ in first })
    }

    mutating func index(of color: RGBColor) -> UInt8 {
        if let index = exact[color] ?? nearest[color.bin] { return index }
        let middle = (color & 0xF8 | 4).wide
        func distance(_ index: Int) -> Int32 {
            let difference = palette[index].wide &- middle
            return (difference &* difference).wrappedSum()
        }
        let index = UInt8(palette.indices.min { distance($0) < distance($1) } ?? 0)
        nearest[color.bin] = index
        return index
    }
}

/// The diffused errors of two rows, in sixteenths.
///
/// Floyd–Steinberg dithering passes 7/16 of an error to the right, and 3/16, 5/16 and 1/16 to the row below.
private struct ErrorRows {
    /// With a margin of one pixel on each side.
    private var current: [SIMD3<Int32>]
    private var below: [SIMD3<Int32>]

    init(width: Int) {
        current = [SIMD3<Int32>](repeating: .zero, count: width + 2)
        below = current
    }

    func applied(to color: RGBColor, at x: Int) -> RGBColor {
        let sum = color.wide &+ (current[x + 1] &+ 8) &>> 4
        return RGBColor(truncatingIfNeeded: sum.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255)))
    }

    mutating func diffuse(_ error: SIMD3<Int32>, at x: Int) {
        current[x + 2] &+= 7 &* error
        below[x] &+= 3 &* error
        below[x + 1] &+= 5 &* error
        below[x + 2] &+= error
    }

    mutating func nextRow() {
        swap(&current, &below)
        for index in below.indices { below[index] = .zero }
    }
}
