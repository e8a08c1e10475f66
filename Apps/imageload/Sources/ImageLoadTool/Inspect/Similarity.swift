import CImageLoadTool
import Foundation
import ImageCore
import ImageProcessing

/// How much two images of the same size differ.
struct Similarity: Hashable, Sendable {
    /// The mean structural similarity of luma, up to 1 (Wang et al. 2004). See the README for the parameters.
    var ssim: Double
    /// The peak signal-to-noise ratio of red, green and blue in decibels. Infinite if they are equal.
    var psnr: Double
    /// The largest difference of a channel, from 0 to 255. Includes alpha.
    var maximum: Int
    /// The number of pixels that differ.
    var differingPixels: Int

    init(_ first: Bitmap, _ second: Bitmap) {
        ssim = Self.ssim(first, second)
        let (left, right) = (first.over(.white).pixels, second.over(.white).pixels)
        var squares = 0
        for index in 0..<left.count {
            let difference = Int(left[index]) - Int(right[index])
            squares += difference * difference
        }
        psnr = 10 * log10(255 * 255 * Double(first.size.area * 3) / Double(squares))
        (maximum, differingPixels) = Self.differences(first.pixels, second.pixels)
    }

    private static func differences(_ left: [UInt8], _ right: [UInt8]) -> (maximum: Int, count: Int) {
        var (maximum, count) = (0, 0)
        for start in stride(from: 0, to: left.count, by: 4) {
            let largest = (start..<start + 4).reduce(0) { max($0, abs(Int(left[$1]) - Int(right[$1]))) }
            maximum = max(maximum, largest)
            if largest > 0 { count += 1 }
        }
        return (maximum, count)
    }

    /// Returns the mean structural similarity. If an image has transparent pixels, the lower one of those over white
    /// and over black.
    static func ssim(_ first: Bitmap, _ second: Bitmap) -> Double {
        if first.isOpaque, second.isOpaque { return ssim(ofLuma: first, second) }
        return min(
            ssim(ofLuma: first.over(.white), second.over(.white)), ssim(ofLuma: first.over(.black), second.over(.black))
        )
    }

    private static func ssim(ofLuma first: Bitmap, _ second: Bitmap) -> Double {
        similarity(first, second, .luma, step: 1).mean
    }

    /// Returns the similarity of the worst parts that a person looks at. See the README for what it combines.
    static func ofWorstParts(_ first: Bitmap, _ second: Bitmap) -> Double {
        if first.isOpaque, second.isOpaque { return ofWorstOpaqueParts(first, second) }
        return min(
            ofWorstOpaqueParts(first.over(.white), second.over(.white)),
            ofWorstOpaqueParts(first.over(.black), second.over(.black)))
    }

    private static func ofWorstOpaqueParts(_ first: Bitmap, _ second: Bitmap) -> Double {
        let luma = similarity(first, second, .luma, step: 2)
        let colors = [Plane.blue, .red].map { similarity(first, second, $0, step: 2).detailed }
        // Small parts may be worse than the mean, and colors than luma.
        return min(luma.mean, luma.detailed, 1 - (1 - luma.lowest) / 6, 1 - (1 - min(colors[0], colors[1])) / 3)
    }

    private static func similarity(_ first: Bitmap, _ second: Bitmap, _ plane: Plane, step: Int) -> tool_similarity {
        let size = plane.size(of: first)
        return unsafe tool_ssim(plane.samples(of: first), plane.samples(of: second), size.width, size.height, step)
    }
}

/// Luma or a color difference (ITU-R BT.601), the latter of half the size.
private struct Plane {
    static let luma = Plane(weights: (19_595, 38_470, 7_471), offset: 0, side: 1)
    static let blue = Plane(weights: (-11_058, -21_710, 32_768), offset: 128, side: 2)
    static let red = Plane(weights: (32_768, -27_439, -5_329), offset: 128, side: 2)

    /// The weights of red, green and blue, times 65,536.
    let weights: (Int32, Int32, Int32)
    let offset: Int32
    /// The side of the squares of pixels whose mean is a sample.
    let side: Int

    func size(of bitmap: Bitmap) -> PixelSize {
        PixelSize(width: (bitmap.size.width + side - 1) / side, height: (bitmap.size.height + side - 1) / side)
    }

    func samples(of bitmap: Bitmap) -> [UInt8] {
        let pixels = bitmap.pixels
        let bytes = pixels.span
        let (width, height) = (bitmap.size.width, bitmap.size.height)
        let half = Int32(32_768 * side * side), scale: Int32 = 65_536 * Int32(side * side)
        var samples: [UInt8] = []
        samples.reserveCapacity(size(of: bitmap).area)
        for y in stride(from: 0, to: height, by: side) {
            for x in stride(from: 0, to: width, by: side) {
                var sum = offset * scale + half
                for part in 0..<side * side {
                    let start = 4 * (min(y + part / side, height - 1) * width + min(x + part % side, width - 1))
                    sum += weights.0 * Int32(bytes[start]) + weights.1 * Int32(bytes[start + 1])
                    sum += weights.2 * Int32(bytes[start + 2])
                }
                samples.append(UInt8(clamping: sum / scale))
            }
        }
        return samples
    }
}
