/// The source of a result.
@nonexhaustive
public enum ImageSource: String, Sendable, CaseIterable {
    /// The memory cache.
    case memory
    /// The request's own bytes, a file or a `data:` URL.
    case local
    /// The disk cache. No network was used.
    case disk
    /// The disk cache, after the server confirmed it (status 304).
    case validated
    /// A stale response of the disk cache, because the server failed or stale responses are allowed.
    case stale
    /// The network.
    case network
}

/// A loaded image and its source.
public struct LoadedImage: Hashable, Sendable {
    /// The decoded and processed image with its header.
    public var decoded: DecodedImage
    /// The source of the image.
    public var source: ImageSource
    /// The size of the encoded original in bytes; nil for memory hits.
    public var encodedByteCount: Int?

    /// The pixels: straight (not premultiplied) RGBA with 8 bits per channel, upright, in the color space of
    /// `ImageRequest.color`.
    public var bitmap: Bitmap { decoded.bitmap }

    /// The header of the original.
    public var header: ImageHeader { decoded.header }

    /// The size in pixels.
    public var size: PixelSize { bitmap.size }

    /// Creates a loaded image.
    public init(decoded: DecodedImage, source: ImageSource, encodedByteCount: Int?) {
        self.decoded = decoded
        self.source = source
        self.encodedByteCount = encodedByteCount
    }
}

/// An encoded original, its source and the response that delivered it.
public struct LoadedData: Hashable, Sendable {
    /// The bytes as received.
    public var data: Data
    /// The source of the bytes.
    public var source: ImageSource
    /// The redirects that lead to the original, and the response that delivered it. Empty if the origin is local or a
    /// fetch.
    public var responses: [OriginalResponse]

    /// The response that delivered the original; nil if the origin is local or a fetch.
    public var response: OriginalResponse? { responses.last }

    /// Creates a loaded original.
    public init(data: Data, source: ImageSource, responses: [OriginalResponse] = []) {
        self.data = data
        self.source = source
        self.responses = responses
    }
}
