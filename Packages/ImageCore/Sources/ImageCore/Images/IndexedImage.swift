/// Red, green, blue and straight alpha.
package typealias RGBAColor = SIMD4<UInt8>

/// A part of an image as palette indices, with up to 256 colors.
package struct IndexedImage {
    /// The colors. A transparent one is the last.
    package private(set) var palette: [RGBAColor]
    package let transparentIndex: Int?
    /// One index for each pixel, from the top left of the area.
    package private(set) var indices: [UInt8] = []

    /// Reduces the colors. Throws only `.cancelled`.
    ///
    /// - Parameters:
    ///   - bitmap: The image.
    ///   - area: The part of it.
    ///   - colorCount: The most colors, from 2 to 256.
    ///   - keepsAlpha: Whether colors can be partly transparent. Otherwise pixels with alpha below 128 become
    ///     transparent, and others opaque.
    ///   - dithering: The diffused part of the errors, in sixteenths. Less makes fine details clearer, and gradients
    ///     less smooth.
    package init(
        _ bitmap: Bitmap, area: PixelArea, colorCount: Int = 256, keepsAlpha: Bool = false, dithering: Int32 = 16
    ) throws(ImageEncodingError) {
        let colors = AreaColors(
            pixels: bitmap.withoutHiddenAlpha.pixels, width: bitmap.size.width, area: area, keepsAlpha: keepsAlpha)
        let statistics = try ColorStatistics(colors, isOpaque: bitmap.isOpaque || !keepsAlpha)
        let capacity = colorCount - (statistics.hasTransparency ? 1 : 0)
        let isExact = statistics.colors.count <= capacity
        palette = isExact ? statistics.colors : reducedColors(statistics.bins, colorCount: capacity)
        transparentIndex = statistics.hasTransparency ? palette.count : nil
        try addIndices(of: colors, dithering: isExact ? 0 : dithering)
        if statistics.hasTransparency { palette.append(RGBAColor()) }
    }

    /// Adds the index of the nearest color for each pixel, and the one after the palette for transparent pixels.
    private mutating func addIndices(of colors: AreaColors, dithering: Int32) throws(ImageEncodingError) {
        var matcher = ColorMatcher(palette)
        var errors = ErrorRows(width: colors.area.width)
        indices.reserveCapacity(colors.area.width * colors.area.height)
        for y in 0..<colors.area.height {
            if Task.isCancelled { throw .cancelled }
            for x in 0..<colors.area.width {
                guard let stored = colors[x, y] else {
                    indices.append(UInt8(palette.count))
                    continue
                }
                let target = dithering == 0 ? stored : errors.applied(to: stored, at: x)
                let index = matcher.index(of: target)
                indices.append(index)
                if dithering == 0 { continue }
                errors.diffuse((target.wide &- palette[Int(index)].wide) &* dithering / 16, at: x)
            }
            errors.nextRow()
        }
    }
}

/// The colors of a part of an image.
private struct AreaColors {
    let pixels: [UInt8]
    /// The width of the image.
    let width: Int
    let area: PixelArea
    let keepsAlpha: Bool

    /// Nil for a transparent pixel.
    subscript(x: Int, y: Int) -> RGBAColor? {
        let offset = ((area.top + y) * width + area.left + x) * 4
        let alpha = pixels[offset + 3]
        if alpha < (keepsAlpha ? 1 : 128) { return nil }
        return RGBAColor(pixels[offset], pixels[offset + 1], pixels[offset + 2], keepsAlpha ? alpha : 255)
    }
}

extension RGBAColor {
    fileprivate var wide: SIMD4<Int32> { SIMD4<Int32>(truncatingIfNeeded: self) }

    /// The sum of red, green and blue.
    fileprivate var sum: Int32 { Int32(x) + Int32(y) + Int32(z) }

    /// The number of bins: one half for opaque colors, the other for those that are partly transparent.
    fileprivate static let binCount = 1 << 16

    /// The index of the color's bin, from the high bits of each channel.
    fileprivate var bin: Int {
        if w == 255 { return Int(x >> 3) << 10 | Int(y >> 3) << 5 | Int(z >> 3) }
        return 1 << 15 | Int(x >> 4) << 11 | Int(y >> 4) << 7 | Int(z >> 4) << 3 | Int(w >> 5)
    }

    /// A number of 16 bits, in which all channels count (Knuth 1973, section 6.4).
    fileprivate var hash: Int {
        let bits = UInt32(x) << 24 | UInt32(y) << 16 | UInt32(z) << 8 | UInt32(w)
        return Int((bits &* 2_654_435_769) >> 16)
    }
}

/// The colors of an image and their frequencies.
private struct ColorStatistics {
    private(set) var bins: [ColorBin]
    private(set) var hasTransparency = false
    /// The first 257 colors in order of appearance.
    private(set) var colors: [RGBAColor] = []
    private var seen: Set<RGBAColor> = []
    private var last: RGBAColor?

    init(_ colors: AreaColors, isOpaque: Bool) throws(ImageEncodingError) {
        bins = [ColorBin](repeating: ColorBin(), count: RGBAColor.binCount / (isOpaque ? 2 : 1))
        for y in 0..<colors.area.height {
            if Task.isCancelled { throw .cancelled }
            for x in 0..<colors.area.width { add(colors[x, y]) }
        }
    }

    private mutating func add(_ color: RGBAColor?) {
        guard let color else { return hasTransparency = true }
        bins[color.bin].count += 1
        bins[color.bin].sum &+= SIMD4<Int>(truncatingIfNeeded: color)
        if colors.count <= 256, color != last, seen.insert(color).inserted { colors.append(color) }
        last = color
    }
}

/// Maps colors to the indices of the nearest ones of a palette, and of several to the first.
private struct ColorMatcher {
    private struct Entry {
        let color: SIMD4<Int32>
        /// The sum of red, green and blue. The square of the difference of two sums is at most three times that of the
        /// distance of the colors.
        let sum: Int32
        let index: UInt8
    }

    /// The colors in the order of their sums.
    private let entries: [Entry]
    /// For each sum, the number of colors with lower ones.
    private var positions: [Int] = []
    /// Colors that were looked up, each at the place of its hash.
    private var known = [(color: RGBAColor, index: UInt8)?](repeating: nil, count: 1 << 16)

    init(_ palette: [RGBAColor]) {
        entries = palette.enumerated().map { index, color in
            Entry(color: color.wide, sum: color.sum, index: UInt8(index))
        }.sorted { $0.sum < $1.sum }
        for (position, entry) in entries.enumerated() {
            while positions.count <= entry.sum { positions.append(position) }
        }
        while positions.count <= 3 * 255 { positions.append(entries.count) }
    }

    mutating func index(of color: RGBAColor) -> UInt8 {
        let place = color.hash
        if let match = known[place], match.color == color { return match.index }
        let index = nearest(to: color)
        known[place] = (color, index)
        return index
    }

    private func nearest(to color: RGBAColor) -> UInt8 {
        let wide = color.wide
        let sum = color.sum
        let position = positions[Int(sum)]
        var nearest = (distance: Int32(1 << 18), index: UInt8.max)
        /// Returns false if neither this color nor one beyond it can be nearer.
        func compare(_ entry: Entry) -> Bool {
            let gap = entry.sum &- sum
            if gap &* gap > 3 &* nearest.distance { return false }
            let difference = entry.color &- wide
            let distance = (difference &* difference).wrappedSum()
            if (distance, entry.index) < nearest { nearest = (distance, entry.index) }
            return true
        }
        _ = entries[position...].allSatisfy(compare)
        _ = entries[..<position].reversed().allSatisfy(compare)
        return nearest.index
    }
}

/// The diffused errors of two rows, in sixteenths.
///
/// Floyd–Steinberg dithering passes 7/16 of an error to the right, and 3/16, 5/16 and 1/16 to the row below.
private struct ErrorRows {
    /// With a margin of one pixel on each side.
    private var current: [SIMD4<Int32>]
    private var below: [SIMD4<Int32>]

    init(width: Int) {
        current = [SIMD4<Int32>](repeating: .zero, count: width + 2)
        below = current
    }

    func applied(to color: RGBAColor, at x: Int) -> RGBAColor {
        let sum = color.wide &+ (current[x + 1] &+ 8) &>> 4
        return RGBAColor(truncatingIfNeeded: sum.clamped(lowerBound: .zero, upperBound: SIMD4(repeating: 255)))
    }

    mutating func diffuse(_ error: SIMD4<Int32>, at x: Int) {
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
private struct ColorBin {
    var count = 0
    var sum = SIMD4<Int>()

    /// - Precondition: `count` is not 0.
    var mean: RGBAColor { RGBAColor(truncatingIfNeeded: (sum &+ count / 2) / SIMD4(repeating: count)) }
}

/// Reduces colors with the median cut algorithm, and moves them to the means of the colors that are nearest to them (Lloyd
/// 1982).
private func reducedColors(_ bins: [ColorBin], colorCount: Int) -> [RGBAColor] {
    let bins = bins.filter { $0.count > 0 }
    var colors = medianCut(bins, colorCount: colorCount)
    for _ in 0..<3 {
        var matcher = ColorMatcher(colors)
        var sums = [ColorBin](repeating: ColorBin(), count: colors.count)
        for bin in bins {
            let index = Int(matcher.index(of: bin.mean))
            sums[index].count += bin.count
            sums[index].sum &+= bin.sum
        }
        for index in colors.indices where sums[index].count > 0 { colors[index] = sums[index].mean }
    }
    return colors
}

/// Reduces colors with the median cut algorithm (Heckbert 1982), which splits the color space into boxes of about the same
/// number of pixels.
private func medianCut(_ bins: [ColorBin], colorCount: Int) -> [RGBAColor] {
    var boxes = [ColorBox(bins)]
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
        let lowest = colors.reduce(RGBAColor(repeating: 255)) { pointwiseMin($0, $1) }
        let sides = colors.reduce(RGBAColor()) { pointwiseMax($0, $1) } &- lowest
        axis = [1, 0, 2].first { sides[$0] == sides.max() } ?? 3
        weight = bins.count < 2 ? 0 : Int(sides.max()) * count
    }

    var mean: RGBAColor { ColorBin(count: count, sum: bins.reduce(SIMD4<Int>()) { $0 &+ $1.sum }).mean }

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
