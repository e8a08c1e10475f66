public import ImageCore

extension ThumbHash {
    /// Computes the hash of an image, whose colors outside of sRGB are clipped.
    ///
    /// An image with a side of more than 100 pixels is first scaled down to 100 pixels, by a box average with colors
    /// weighted by alpha. Takes less than a millisecond, and for a large image as long as reading its pixels.
    ///
    /// - Precondition: The image has at least one pixel.
    public init(bitmap: Bitmap) {
        precondition(bitmap.size.area > 0, "an empty image has no hash")
        let image = bitmap.withoutHiddenAlpha.averaged(to: bitmap.size.fitting(100)).converted(to: .sRGB)
        let (size, samples) = (image.size, Samples(image.pixels))
        let limit = samples.hasAlpha ? 5 : 7
        let shorter = Double(limit * min(size.width, size.height)) / Double(max(size.width, size.height))
        let layout = ThumbHashLayout(
            hasAlpha: samples.hasAlpha, isLandscape: size.width > size.height,
            shorterCount: max(1, Int(shorter.rounded())))
        let (columns, rows) = (Frequency.cosines(length: size.width), Frequency.cosines(length: size.height))
        let channels = zip(samples.channels, layout.channels).map {
            CosineTransform(of: $0, frequencies: $1, columns, rows)
        }
        self.init(bytes: Self.bytes(channels, layout), layout: layout)
    }

    private static func bytes(_ channels: [CosineTransform], _ layout: ThumbHashLayout) -> [UInt8] {
        let first =
            rounded(63 * channels[0].average) | rounded(31.5 + 31.5 * channels[1].average) << 6
            | rounded(31.5 + 31.5 * channels[2].average) << 12 | rounded(31 * channels[0].scale) << 18
            | (layout.hasAlpha ? 1 << 23 : 0)
        let second =
            layout.shorterCount | rounded(63 * channels[1].scale) << 3 | rounded(63 * channels[2].scale) << 9
            | (layout.isLandscape ? 1 << 15 : 0)
        var bytes = [first, first >> 8, first >> 16, second, second >> 8].map { UInt8($0 & 255) }
        if layout.hasAlpha {
            bytes.append(UInt8(rounded(15 * channels[3].average) | rounded(15 * channels[3].scale) << 4))
        }
        // Two levels of 4 bits per byte, the first in the lower bits.
        let levels = channels.flatMap(\.levels)
        return bytes
            + stride(from: 0, to: levels.count, by: 2).map { index in
                UInt8(levels[index] | (index + 1 < levels.count ? levels[index + 1] << 4 : 0))
            }
    }

    private static func rounded(_ value: Double) -> Int { Int(value.rounded()) }
}

/// Luminance from 0 to 1, yellow-blue and red-green from -1 to 1, and alpha. Transparent parts have the average color.
private struct Samples {
    var channels: [[Double]] = [[], [], [], []]
    let hasAlpha: Bool

    init(_ pixels: [UInt8]) {
        var (average, sum) = ([0.0, 0, 0], 0.0)
        for index in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = Double(pixels[index + 3]) / 255
            for channel in 0..<3 { average[channel] += alpha / 255 * Double(pixels[index + channel]) }
            sum += alpha
        }
        if sum > 0 { for channel in 0..<3 { average[channel] /= sum } }
        hasAlpha = sum < Double(pixels.count / 4)
        for index in stride(from: 0, to: pixels.count, by: 4) {
            let alpha = Double(pixels[index + 3]) / 255
            func color(_ channel: Int) -> Double {
                average[channel] * (1 - alpha) + alpha / 255 * Double(pixels[index + channel])
            }
            let (red, green, blue) = (color(0), color(1), color(2))
            channels[0].append((red + green + blue) / 3)
            channels[1].append((red + green) / 2 - blue)
            channels[2].append(red - green)
            channels[3].append(alpha)
        }
    }
}

/// The low frequencies of a channel: its discrete cosine transform (DCT-II), scaled to 4 bits per frequency.
private struct CosineTransform {
    /// The average of the channel.
    let average: Double
    /// The largest magnitude of a frequency.
    let scale: Double
    /// The frequencies from 0 (`-scale`) to 15 (`scale`); 0 if all of them are zero.
    let levels: [Int]

    init(of samples: [Double], frequencies: [Frequency], _ columns: [[Double]], _ rows: [[Double]]) {
        func mean(_ frequency: Frequency) -> Double {
            let cosines = columns.map { $0[frequency.x] }
            var (sum, index) = (0.0, 0)
            for row in rows {
                let rowCosine = row[frequency.y]
                for cosine in cosines {
                    sum += samples[index] * cosine * rowCosine
                    index += 1
                }
            }
            return sum / Double(samples.count)
        }
        let magnitudes = frequencies.map(mean)
        let scale = magnitudes.reduce(0) { max($0, abs($1)) }
        average = mean(Frequency(x: 0, y: 0))
        levels = magnitudes.map { scale == 0 ? 0 : Int((15 * (0.5 + 0.5 / scale * $0)).rounded()) }
        self.scale = scale
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

extension Bitmap {
    /// Returns the image scaled down to a size, or unchanged if it has this size.
    ///
    /// Each pixel is the average of a box of whole input pixels, in which colors are weighted by alpha.
    func averaged(to target: PixelSize) -> Bitmap {
        guard target != size else { return self }
        let input = pixels
        var result: [UInt8] = []
        for y in 0..<target.height {
            let rows = y * size.height / target.height..<(y + 1) * size.height / target.height
            for x in 0..<target.width {
                let columns = x * size.width / target.width..<(x + 1) * size.width / target.width
                result += average(of: input, columns, rows)
            }
        }
        return Bitmap(size: target, pixels: result, isOpaque: isOpaque, colorSpace: colorSpace)
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
