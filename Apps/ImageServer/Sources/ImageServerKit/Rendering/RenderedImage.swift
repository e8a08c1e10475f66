import Foundation
import ImageCore
import ImageMetadata

/// An encoded result.
struct RenderedImage: Sendable {
    /// The file.
    var data: Data
    /// The format of the file.
    var format: ImageFormat
    /// The size of the image in pixels.
    var size: PixelSize
    /// The number of frames of the source that are left out because of the limits.
    var leftOutFrames = 0
    /// The ThumbHash of the first frame in Base64; nil if the source is delivered as it is.
    var thumbHash: String?
    /// The upright size of the source; nil if it is not known.
    var sourceSize: PixelSize?
    /// What the source has and the result hasn't, in the order of `ConversionLoss`.
    var losses: [ConversionLoss] = []
    /// The time that each step took.
    var times: StageTimes = [:]
}

/// The time that the stages of a request took. A stage that did not run has none.
typealias StageTimes = [RenderingStage: Duration]

/// A stage of a request.
enum RenderingStage: String, Sendable, CaseIterable {
    /// Looking for the result in the caches.
    case lookup
    /// Waiting for a download slot and downloading the original, or reading it from a cache.
    case source
    /// Waiting for a decode slot.
    case queue
    /// Decoding the original to size.
    case decode
    /// Cropping, filtering and drawing.
    case process
    /// Encoding the result.
    case encode
}

extension StageTimes {
    /// The times as a value of Server-Timing, in milliseconds and in the order of the stages.
    var serverTiming: String {
        RenderingStage.allCases.compactMap { stage in
            self[stage].map { "\(stage.rawValue);dur=\(($0.seconds * 1e5).rounded() / 100)" }
        }.joined(separator: ", ")
    }
}

/// Why a source can't be rendered.
enum RenderingFailure: Error, Hashable, Sendable {
    /// The source can't be decoded.
    case decoding(ImageDecodingError)
    /// The result would be larger than the limits allow.
    case resultTooLarge(PixelSize)
    /// The result has more bytes than the limit, or than `max_bytes` at the lowest quality.
    case tooManyBytes(Int, allowed: Int)
    /// The URL asks for a watermark, and the settings have none.
    case noWatermark
    /// The watermark can't be decoded to the size in which it is drawn.
    case watermark(ImageDecodingError)
    /// The encoder failed.
    case encoding(ImageEncodingError)
    /// A processor failed. The text is for humans.
    case processing(String)
    /// The work was cancelled.
    case cancelled
}

extension RenderingFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .decoding(let failure): "\(failure)"
        case .resultTooLarge(let size): "the result, or the image before it is cropped, would be too large: \(size)"
        case .tooManyBytes(let count, let allowed): "the result has \(count) bytes, \(allowed) are allowed"
        case .noWatermark: "the server has no watermark"
        case .watermark(let failure): "the watermark: \(failure)"
        case .encoding(let failure): "can't encode the result: \(failure)"
        case .processing(let text): "can't process the image: \(text)"
        case .cancelled: "cancelled"
        }
    }
}
