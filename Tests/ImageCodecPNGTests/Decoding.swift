import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting

/// Decodes `data`.
func decode(
    _ data: Data, layout: PixelLayout = .rgba8, limits: DecodingLimits = .default
) throws(DecodingFailure) -> [UInt8] {
    let image = try PNGDecoder().open(data, limits: limits)
    let sink = CollectingRowSink()
    try image.decode(frame: 0, size: image.header.storedSize, layout: layout, into: sink)
    return sink.pixels
}

func header(of data: Data, limits: DecodingLimits = .default) throws(DecodingFailure) -> ImageHeader {
    try PNGDecoder().open(data, limits: limits).header
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

/// Returns whether decoding throws `.malformed`.
func isMalformed(_ data: Data) -> Bool {
    if case .malformed(.png, _) = failure(of: data) { true } else { false }
}

/// Returns an image of seeded noise.
func noise(_ size: PixelSize, isOpaque: Bool) -> Bitmap {
    var random = SeededRandom(seed: UInt64(size.area))
    var pixels = (0..<size.area * 4).map { _ in UInt8.random(in: 0...255, using: &random) }
    if isOpaque { for alpha in stride(from: 3, to: pixels.count, by: 4) { pixels[alpha] = 255 } }
    return Bitmap(size: size, pixels: pixels, isOpaque: isOpaque)
}
