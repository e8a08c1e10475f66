public import Foundation
public import ImageCore
public import ImageMetadata

/// An encoded result.
public struct RenderedImage: Sendable {
    /// The file.
    public var data: Data
    /// The format of the file.
    public var format: ImageFormat
    /// The size of the image in pixels.
    public var size: PixelSize
    /// The number of frames of the source that are left out because of the limits.
    public var leftOutFrames = 0
    /// The ThumbHash of the first frame in Base64; nil if the source is delivered as it is.
    public var thumbHash: String?
    /// The upright size of the source; nil if it is not known.
    public var sourceSize: PixelSize?
    /// What the source has and the result hasn't, in the order of `ConversionLoss`.
    public var losses: [ConversionLoss] = []
    /// The time that each step took.
    public var times: StageTimes
}

/// The time that the stages of a request took. A stage that did not run has none.
public struct StageTimes: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A stage of a request.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
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

    private var times: [Stage: Duration] = [:]

    /// Creates times of nothing.
    public init() {}

    public init(dictionaryLiteral elements: (Stage, Duration)...) {
        times = Dictionary(elements, uniquingKeysWith: +)
    }

    /// The time of a stage; nil if it did not run.
    public subscript(stage: Stage) -> Duration? {
        get { times[stage] }
        set { times[stage] = newValue }
    }

    /// Adds time to a stage.
    mutating func add(_ time: Duration, to stage: Stage) { times[stage, default: .zero] += time }

    /// Adds the times of other work.
    mutating func add(_ other: StageTimes) { times.merge(other.times, uniquingKeysWith: +) }

    /// The times as a value of Server-Timing, in milliseconds and in the order of the stages.
    public var serverTiming: String {
        Stage.allCases.compactMap { stage in
            times[stage].map { "\(stage.rawValue);dur=\(($0.seconds * 1e5).rounded() / 100)" }
        }.joined(separator: ", ")
    }
}

/// Why a source can't be rendered.
public enum RenderingFailure: Error, Hashable, Sendable {
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
    public var description: String {
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
