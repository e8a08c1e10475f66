#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One photo of a feed, as services like JSONPlaceholder tell of it.
public struct Photo: Codable, Hashable, Identifiable, Sendable {
    public var albumId: Int
    public var id: Int
    public var title: String
    public var url: URL
    public var thumbnailUrl: URL

    public init(albumId: Int, id: Int, title: String, url: URL, thumbnailUrl: URL) {
        self.albumId = albumId
        self.id = id
        self.title = title
        self.url = url
        self.thumbnailUrl = thumbnailUrl
    }
}
