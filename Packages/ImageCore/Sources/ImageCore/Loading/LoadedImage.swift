#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Which layer answered a request.
public enum ImageSource: String, Sendable, CaseIterable {
    /// The memory cache.
    case memory
    /// The disk cache, or the file or `data:` URL itself: no network was asked.
    case disk
    /// The disk cache, after the origin has confirmed that nothing changed.
    case validated
    /// The disk cache, though what it has is out of date: the origin was not heard, or need not be waited for.
    case stale
    case network
}

/// The answer to a request for an image.
public struct LoadedImage: Sendable {
    public var image: DecodedImage
    public var source: ImageSource
    /// Bytes of the encoded original; nil when the memory cache answered.
    public var encodedByteCount: Int?

    public init(image: DecodedImage, source: ImageSource, encodedByteCount: Int?) {
        self.image = image
        self.source = source
        self.encodedByteCount = encodedByteCount
    }
}

/// The answer to a request for the encoded original.
public struct LoadedData: Sendable {
    public var data: Data
    public var source: ImageSource

    public init(data: Data, source: ImageSource) {
        self.data = data
        self.source = source
    }
}
