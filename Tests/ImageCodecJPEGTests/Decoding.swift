import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting

/// Decodes `data` at `size`, or at the stored size.
func decode(
    _ data: Data, size: PixelSize? = nil, layout: PixelLayout = .rgba8, limits: DecodingLimits = .default
) throws(DecodingFailure) -> [UInt8] {
    let image = try JPEGDecoder().open(data, limits: limits)
    let sink = CollectingRowSink()
    try image.decode(frame: 0, size: size ?? image.header.storedSize, layout: layout, into: sink)
    return sink.pixels
}

func header(of data: Data, limits: DecodingLimits = .default) throws(DecodingFailure) -> ImageHeader {
    try JPEGDecoder().open(data, limits: limits).header
}

/// Returns the error that decoding throws, or nil.
func failure(of data: Data, limits: DecodingLimits = .default) -> DecodingFailure? {
    do throws(DecodingFailure) {
        _ = try decode(data, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// A 24 by 20 image with gradients and an edge.
let photograph: Bitmap = {
    let size = PixelSize(width: 24, height: 20)
    var pixels: [UInt8] = []
    for y in 0..<size.height {
        for x in 0..<size.width { pixels += [UInt8(x * 10), UInt8(y * 12), x > y ? 200 : 40, 255] }
    }
    return Bitmap(size: size, pixels: pixels, isOpaque: true)
}()

func encoded(progressive: Bool = false, quality: Double = 0.85) throws -> Data {
    try JPEGEncoder().encode(photograph, options: EncodingOptions(quality: quality, isProgressive: progressive))
}

/// Returns the largest difference between bytes of two images of the same size.
func largestDifference(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.count == right.count ? zip(left, right).map { abs(Int($0) - Int($1)) }.max() ?? 0 : .max
}
