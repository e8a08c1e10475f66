/// The answer to a request for an image.
struct ImageAnswer: Sendable {
    /// The result.
    var result: StoredResult
    /// Where the result is from.
    var level: ResultLevel
    /// What the URL asks for. Two URLs that differ in the delivery share a result.
    var url: ImageURL
    /// The times of the stages that ran for this result.
    var times: StageTimes = [:]
    /// The status of the response if the result is the fallback image; nil if it is that of the source.
    var fallbackStatus: Int?
    /// Why there is the fallback image; nil for that of the source.
    var failure: ServiceFailure?
    /// The names of the header fields on which the result depends, for Vary; empty for none.
    var vary = ""
    /// The header fields of the path, which are made once.
    var preparedFields = PreparedFields()
}

/// What is known about a source.
struct ImageInfo: Hashable, Sendable, Codable {
    /// The name of the format.
    var format: String
    /// The upright width in pixels.
    var width: Int
    /// The upright height in pixels.
    var height: Int
    /// The orientation in the file, from 1 to 8 as in Exif.
    var orientation: Int
    /// The number of frames.
    var frames: Int
    /// Whether the file has transparency.
    var hasAlpha: Bool
    /// What it has that a result can lose: names of `ConversionLoss`.
    var contents: [String]
    /// The size of the file in bytes.
    var size: Int
    /// A placeholder of about 25 bytes in Base64.
    var thumbHash: String
}

/// What is known about one of several sources, or why nothing is.
struct ImageInfoResult: Sendable, Codable {
    /// What is known.
    var info: ImageInfo?
    /// Why nothing is known.
    var failure: String?
}
