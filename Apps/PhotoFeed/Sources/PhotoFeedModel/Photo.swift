#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A photo of a feed, in the JSON format of JSONPlaceholder.
public struct Photo: Codable, Hashable, Identifiable, Sendable {
    /// The number of the album.
    public var albumId: Int
    /// The unique number of the photo.
    public var id: Int
    /// The title.
    public var title: String
    /// The URL of the full image.
    public var url: URL
    /// The URL of the thumbnail.
    public var thumbnailUrl: URL

    /// Creates a photo.
    public init(albumId: Int, id: Int, title: String, url: URL, thumbnailUrl: URL) {
        self.albumId = albumId
        self.id = id
        self.title = title
        self.url = url
        self.thumbnailUrl = thumbnailUrl
    }
}
