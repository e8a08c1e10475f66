import ImageCore

/// A part of an image as palette indices, with up to 256 colors, one of which may be transparent.
struct IndexedImage {
    /// The colors, including the transparent one.
    private(set) var palette: [RGBColor]
    private(set) var transparentIndex: Int?
    /// One index for each pixel, from the top left of the area.
    private(set) var indices: [UInt8] = []

    /// The lowest alpha of opaque pixels. Pixels with less alpha become transparent.
    static let opaqueAlpha: UInt8 = 128

    init(_ bitmap: Bitmap, area: PixelArea, dithers: Bool) {
        let colors = ColorStatistics(bitmap, area: area)
        let capacity = colors.hasTransparency ? 255 : 256
        if let exact = colors.exact, exact.count <= capacity {
            palette = exact
        } else {
            palette = MedianCut(colors.bins, colorCount: capacity).palette
        }
        let matcher = ColorMatcher(palette)
        if colors.hasTransparency {
            transparentIndex = palette.count
            palette.append(RGBColor(red: 0, green: 0, blue: 0))
        }
        let isExact = colors.exact.map { $0.count <= capacity } ?? false
        indices = matcher.indices(
            of: bitmap, area: area, transparentIndex: UInt8(transparentIndex ?? 0),
            diffusesError: dithers && !isExact)
    }

    /// The palette as bytes, padded with black to a power of two from 2 to 256 colors, as the format requires.
    var paddedPalette: [UInt8] {
        var count = 2
        while count < palette.count { count *= 2 }
        var bytes = [UInt8](repeating: 0, count: 3 * count)
        for (index, color) in palette.enumerated() {
            bytes.replaceSubrange(3 * index..<3 * index + 3, with: [color.red, color.green, color.blue])
        }
        return bytes
    }
}

struct RGBColor: Hashable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    /// The index of the color's bin, from the five high bits of each channel.
    var bin: Int { Int(red >> 3) << 10 | Int(green >> 3) << 5 | Int(blue >> 3) }

    /// Returns the squared Euclidean distance.
    func distance(to other: RGBColor) -> Int {
        let (r, g, b) = (
            Int(red) - Int(other.red), Int(green) - Int(other.green), Int(blue) - Int(other.blue)
        )
        return r * r + g * g + b * b
    }
}

/// The colors of an image and their frequencies.
struct ColorStatistics {
    static let binCount = 1 << 15

    private(set) var bins = [ColorBin](repeating: ColorBin(), count: binCount)
    private(set) var hasTransparency = false
    /// The colors in order of appearance. `nil` if there are more than 256.
    private(set) var exact: [RGBColor]? = []
    private var seen: Set<RGBColor> = []

    init(_ bitmap: Bitmap, area: PixelArea) {
        let pixels = bitmap.pixels.span
        var last: RGBColor?
        for y in area.top..<area.top + area.height {
            for x in area.left..<area.left + area.width {
                let offset = (y * bitmap.size.width + x) * 4
                guard pixels[offset + 3] >= IndexedImage.opaqueAlpha else {
                    hasTransparency = true
                    continue
                }
                let color = RGBColor(red: pixels[offset], green: pixels[offset + 1], blue: pixels[offset + 2])
                bins[color.bin].add(color)
                if color != last, exact != nil { remember(color) }
                last = color
            }
        }
    }

    private mutating func remember(_ color: RGBColor) {
        guard seen.insert(color).inserted else { return }
        exact?.append(color)
        if seen.count > 256 { exact = nil }
    }
}

/// The sum of the colors in a bin.
struct ColorBin {
    private(set) var count = 0
    private(set) var sum = (red: 0, green: 0, blue: 0)

    mutating func add(_ color: RGBColor) {
        count += 1
        sum = (sum.red + Int(color.red), sum.green + Int(color.green), sum.blue + Int(color.blue))
    }

    mutating func add(_ other: ColorBin) {
        count += other.count
        sum = (sum.red + other.sum.red, sum.green + other.sum.green, sum.blue + other.sum.blue)
    }

    /// - Precondition: `count` is not 0.
    var mean: RGBColor {
        let half = count / 2
        return RGBColor(
            red: UInt8((sum.red + half) / count), green: UInt8((sum.green + half) / count),
            blue: UInt8((sum.blue + half) / count))
    }
}
