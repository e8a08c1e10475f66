/// The answer to a request for an image.
public struct ImageAnswer: Sendable {
    /// The result.
    public var result: StoredResult
    /// Where the result is from.
    public var level: ResultLevel
    /// What the URL asks for. Two URLs that differ in the delivery share a result.
    public var url: ImageURL
    /// The times of the stages that ran for this result.
    public var times: StageTimes
    /// The status of the response if the result is the fallback image; nil if it is that of the source.
    public var fallbackStatus: Int?
    /// Why there is the fallback image; nil for that of the source.
    var failure: ServiceFailure?
    /// The names of the header fields on which the result depends, for Vary; empty for none.
    public var vary = ""
    /// The header fields of the path, which are made once.
    var preparedFields = PreparedFields()
}

/// What is known about a source.
public struct ImageInfo: Hashable, Sendable, Codable {
    /// The name of the format.
    public var format: String
    /// The upright width in pixels.
    public var width: Int
    /// The upright height in pixels.
    public var height: Int
    /// The orientation in the file, from 1 to 8 as in Exif.
    public var orientation: Int
    /// The number of frames.
    public var frames: Int
    /// Whether the file has transparency.
    public var hasAlpha: Bool
    /// What it has that a result can lose: names of `ConversionLoss`.
    public var contents: [String]
    /// The size of the file in bytes.
    public var size: Int
    /// A placeholder of about 25 bytes in Base64.
    public var thumbHash: String
}

/// What is known about one of several sources, or why nothing is.
public struct ImageInfoResult: Sendable, Codable {
    /// What is known.
    public var info: ImageInfo?
    /// Why nothing is known.
    public var failure: String?
}
