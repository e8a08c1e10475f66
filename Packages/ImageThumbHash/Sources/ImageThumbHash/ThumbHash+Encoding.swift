public import ImageCore

extension ThumbHash {
    /// The longest side of an image from which a hash is computed.
    static let maximumSide = 100

    /// Computes the hash of an image.
    ///
    /// An image with a side of more than 100 pixels is first scaled down to 100 pixels, by a box average with colors
    /// weighted by alpha. Without scaling, the bytes are those of the reference implementation in JavaScript, on every
    /// platform. Takes less than a millisecond, and for a large image as long as reading its pixels.
    ///
    /// - Precondition: The image has at least one pixel.
    public init(bitmap: Bitmap) {
        precondition(bitmap.size.area > 0, "an empty image has no hash")
        let image = bitmap.averaged(to: bitmap.size.fitting(Self.maximumSide))
        let channels = ThumbHashChannels(image)
        let size = image.size
        let limit = ThumbHashLayout.longerCount(hasAlpha: channels.hasAlpha)
        let shorter = Double(limit * min(size.width, size.height)) / Double(max(size.width, size.height))
        let layout = ThumbHashLayout(
            hasAlpha: channels.hasAlpha, isLandscape: size.width > size.height,
            shorterCount: max(1, Int(shorter.rounded())))
        self.init(bytes: channels.encoded(layout, size), layout: layout)
    }
}

extension PixelSize {
    /// Returns the size with a longer side of at most `side` pixels and the same aspect ratio.
    func fitting(_ side: Int) -> PixelSize {
        let longer = max(width, height)
        guard longer > side else { return self }
        func scaled(_ length: Int) -> Int { max(1, Int((Double(length) * Double(side) / Double(longer)).rounded())) }
        return PixelSize(width: scaled(width), height: scaled(height))
    }
}

/// The channels of an image, with values from 0 to 1 or from -1 to 1. Transparent parts have the average color.
private struct ThumbHashChannels {
    var luminance: [Double] = []
    var yellowBlue: [Double] = []
    var redGreen: [Double] = []
    var alpha: [Double] = []
    let hasAlpha: Bool

    init(_ image: Bitmap) {
        let pixels = image.pixels
        let average = AverageColor(pixels)
        hasAlpha = average.alpha < Double(image.size.area)
        for index in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = Double(pixels[index + 3]) / 255
            let red = average.red * (1 - alpha) + alpha / 255 * Double(pixels[index])
            let green = average.green * (1 - alpha) + alpha / 255 * Double(pixels[index + 1])
            let blue = average.blue * (1 - alpha) + alpha / 255 * Double(pixels[index + 2])
            luminance.append((red + green + blue) / 3)
            yellowBlue.append((red + green) / 2 - blue)
            redGreen.append(red - green)
            self.alpha.append(alpha)
        }
    }

    /// Returns the bytes of the hash.
    func encoded(_ layout: ThumbHashLayout, _ size: PixelSize) -> [UInt8] {
        let luminance = CosineTransform(of: luminance, size, layout.luminance)
        let yellowBlue = CosineTransform(of: yellowBlue, size, layout.color)
        let redGreen = CosineTransform(of: redGreen, size, layout.color)
        let first =
            rounded(63 * luminance.average) | rounded(31.5 + 31.5 * yellowBlue.average) << 6
            | rounded(31.5 + 31.5 * redGreen.average) << 12 | rounded(31 * luminance.scale) << 18
            | (layout.hasAlpha ? 1 << 23 : 0)
        let second =
            layout.shorterCount | rounded(63 * yellowBlue.scale) << 3 | rounded(63 * redGreen.scale) << 9
            | (layout.isLandscape ? 1 << 15 : 0)
        var bytes = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8($0 & 255) }
        var levels = luminance.levels + yellowBlue.levels + redGreen.levels
        if layout.hasAlpha {
            let alpha = CosineTransform(of: alpha, size, layout.alpha)
            bytes.append(UInt8(rounded(15 * alpha.average) | rounded(15 * alpha.scale) << 4))
            levels += alpha.levels
        }
        return bytes + packed(levels)
    }

    /// Returns two levels of 4 bits per byte, the first in the lower bits.
    private func packed(_ levels: [Int]) -> [UInt8] {
        stride(from: 0, to: levels.count, by: 2).map { index in
            UInt8(levels[index] | (index + 1 < levels.count ? levels[index + 1] << 4 : 0))
        }
    }
}

/// The average color of an image, weighted by alpha, and the sum of its alpha.
private struct AverageColor {
    var red = 0.0
    var green = 0.0
    var blue = 0.0
    var alpha = 0.0

    init(_ pixels: [UInt8]) {
        for index in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = Double(pixels[index + 3]) / 255
            red += alpha / 255 * Double(pixels[index])
            green += alpha / 255 * Double(pixels[index + 1])
            blue += alpha / 255 * Double(pixels[index + 2])
            self.alpha += alpha
        }
        guard alpha > 0 else { return }
        red /= alpha
        green /= alpha
        blue /= alpha
    }
}

private func rounded(_ value: Double) -> Int { Int(value.rounded()) }
