public import ImageThumbHash

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A photo of a feed, in the JSON format of JSONPlaceholder, with an optional hash.
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
    /// Describes the image until it is loaded, or nil if the server sends none.
    public var thumbHash: ThumbHash?

    /// Creates a photo.
    public init(albumId: Int, id: Int, title: String, url: URL, thumbnailUrl: URL, thumbHash: ThumbHash? = nil) {
        self.albumId = albumId
        self.id = id
        self.title = title
        self.url = url
        self.thumbnailUrl = thumbnailUrl
        self.thumbHash = thumbHash
    }
}

extension Photo {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            albumId: try container.decode(Int.self, forKey: .albumId), id: try container.decode(Int.self, forKey: .id),
            title: try container.decode(String.self, forKey: .title),
            url: try container.decode(URL.self, forKey: .url),
            thumbnailUrl: try container.decode(URL.self, forKey: .thumbnailUrl),
            // A photo with a malformed hash is shown without a placeholder.
            thumbHash: try? container.decode(ThumbHash.self, forKey: .thumbHash))
    }
}
