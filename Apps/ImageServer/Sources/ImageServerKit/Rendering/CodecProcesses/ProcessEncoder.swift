import Foundation
import ImageCore

/// Encodes large still images in a process of its own, because the codec can't be interrupted.
struct ProcessEncoder: ImageEncoder {
    let base: any ImageEncoder
    let settings: EncoderSettings
    /// The largest area, in pixels, that is encoded in this process.
    let smallArea: Int

    var format: ImageFormat { base.format }
    var keepsAlpha: Bool { base.keepsAlpha }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
        if bitmap.size.area <= smallArea { return try base.encode(bitmap, options: options) }
        let job = EncodingJob(
            format: format.rawValue, width: bitmap.size.width, height: bitmap.size.height,
            isOpaque: bitmap.isOpaque, colorSpace: bitmap.colorSpace.rawValue, quality: options.quality,
            isLossless: options.isLossless, isProgressive: options.isProgressive, settings: settings)
        do {
            // No encoder makes a file of noise much larger than its pixels.
            let limit = bitmap.pixels.count * 2 + 65_536
            let reply = try CodecJob.encode(job).start(bitmap.pixels, limit: limit) { try Task.checkCancellation() }
            guard reply.outcome == .complete else { throw ImageEncodingError.failed(format, reply.text) }
            return Data(reply.body)
        } catch let failure as ImageEncodingError {
            throw failure
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .failed(format, "\(error)")
        }
    }
}
