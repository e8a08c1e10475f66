import Foundation
import ImageCore

/// The arguments of encoding a still image.
package struct EncodingJob: Codable, Sendable {
    let format: String
    let width, height: Int
    let isOpaque: Bool
    let colorSpace: String
    let quality: Double
    let isLossless: Bool
    let isProgressive: Bool
    let settings: EncoderSettings

    /// Encodes pixels: red, green, blue and straight alpha.
    func reply(to pixels: Data) -> CodecReply {
        let size = PixelSize(width: width, height: height)
        guard let output = OutputFormats.output(for: ImageFormat(rawValue: format)),
            let colorSpace = ColorSpace(rawValue: colorSpace), pixels.count == size.area * 4
        else { return CodecReply(.unsupported, "there is no encoder for these pixels") }
        let bitmap = Bitmap(size: size, pixels: Array(pixels), isOpaque: isOpaque, colorSpace: colorSpace)
        do throws(ImageEncodingError) {
            let options = EncodingOptions(
                quality: quality, isLossless: isLossless, isProgressive: isProgressive)
            let file = try settings.configured(output).encoder.encode(bitmap, options: options)
            return CodecReply(.complete, Array(file))
        } catch {
            return CodecReply(.unsupported, "\(error)")
        }
    }
}
