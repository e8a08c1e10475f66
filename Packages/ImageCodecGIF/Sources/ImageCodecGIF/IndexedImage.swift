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

    /// Pixels with alpha below 128 become transparent. Throws only `.cancelled`.
    init(_ bitmap: Bitmap, area: PixelArea) throws(EncodingFailure) {
        let pixels = bitmap.pixels
        func color(_ x: Int, _ y: Int) -> RGBColor? {
            let offset = ((area.top + y) * bitmap.size.width + area.left + x) * 4
            return pixels[offset + 3] < 128 ? nil : RGBColor(pixels[offset], pixels[offset + 1], pixels[offset + 2])
        }
        var statistics = ColorStatistics()
        for y in 0..<area.height {
            if Task.isCancelled { throw .cancelled }
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
            if Task.isCancelled { throw .cancelled }
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

/// The sum of the colors in a part of the color space.
struct ColorBin {
    var count = 0
    var sum = SIMD3<Int>()

    /// - Precondition: `count` is not 0.
    var mean: RGBColor { RGBColor(truncatingIfNeeded: (sum &+ count / 2) / SIMD3(repeating: count)) }
}

/// Reduces colors with the median cut algorithm (Heckbert 1982), which splits the color space into boxes of about the same
/// number of pixels. Empty bins are ignored.
func medianCut(_ bins: [ColorBin], colorCount: Int) -> [RGBColor] {
    var boxes = [ColorBox(bins.filter { $0.count > 0 })]
    // Equal boxes are taken in order, so that the result is deterministic.
    while boxes.count < colorCount, let index = boxes.indices.max(by: { boxes[$0].weight < boxes[$1].weight }),
        boxes[index].weight > 0
    {
        let (lower, upper) = boxes[index].halves
        boxes[index] = lower
        boxes.append(upper)
    }
    return boxes.map(\.mean)
}

private struct ColorBox {
    private let bins: [ColorBin]
    private let axis: Int
    private let count: Int
    /// The priority of a split: the number of pixels times the longest side. 0 if the box can't be split.
    let weight: Int

    /// - Parameter bins: At least one.
    init(_ bins: [ColorBin]) {
        self.bins = bins
        count = bins.reduce(0) { $0 + $1.count }
        let colors = bins.map(\.mean)
        let lowest = colors.reduce(RGBColor(repeating: 255)) { pointwiseMin($0, $1) }
        let sides = colors.reduce(RGBColor()) { pointwiseMax($0, $1) } &- lowest
        axis = sides[1] == sides.max() ? 1 : sides[0] == sides.max() ? 0 : 2
        weight = bins.count < 2 ? 0 : Int(sides.max()) * count
    }

    var mean: RGBColor { ColorBin(count: count, sum: bins.reduce(SIMD3<Int>()) { $0 &+ $1.sum }).mean }

    /// The boxes on both sides of the median of the longest axis. Neither is empty.
    var halves: (ColorBox, ColorBox) {
        let sorted = bins.map { (bin: $0, position: $0.mean[axis]) }.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }.map(\.element.bin)
        var below = 0
        let cut = sorted.firstIndex { bin in
            below += bin.count
            return below >= count / 2
        }
        let middle = min(max((cut ?? 0) + 1, 1), sorted.count - 1)
        return (ColorBox(Array(sorted[..<middle])), ColorBox(Array(sorted[middle...])))
    }
}
