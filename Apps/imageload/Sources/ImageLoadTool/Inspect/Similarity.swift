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
        let (left, right) = (first.luma, second.luma)
        return unsafe tool_ssim(left, right, first.size.width, first.size.height)
    }
}

extension Bitmap {
    /// The luma of each pixel (ITU-R BT.601), rounded.
    fileprivate var luma: [UInt8] {
        let pixels = pixels
        let bytes = pixels.span
        var luma: [UInt8] = []
        luma.reserveCapacity(size.area)
        for start in stride(from: 0, to: bytes.count, by: 4) {
            let weighted = 19_595 * UInt32(bytes[start]) + 38_470 * UInt32(bytes[start + 1])
            luma.append(UInt8((weighted + 7_471 * UInt32(bytes[start + 2]) + 32_768) >> 16))
        }
        return luma
    }
}
