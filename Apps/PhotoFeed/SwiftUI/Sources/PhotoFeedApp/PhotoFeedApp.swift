import Foundation
import ImageLoaderKit
import ImageLoading
import ImagePresentingSwiftUI
import PhotoFeedModel
import PhotoFeedViews
import SwiftUI

/// Shows the photos of JSONPlaceholder, whose format a `Photo` has.
@main
struct PhotoFeedApp: App {
    @State private var content = Result { try FeedContent() }

    var body: some Scene {
        WindowGroup {
            switch content {
            case .success(let content): PhotoFeedView(feed: content.feed).imageLoader(content.loader)
            case .failure(let error): Text(verbatim: "\(error)")
            }
        }
    }
}

/// The loader and the model of the feed.
@MainActor
private struct FeedContent {
    let loader: ImageLoader
    let feed: PhotoFeedModel

    init() throws {
        let loader = ImageLoader()
        guard let list = URL(string: "https://jsonplaceholder.typicode.com/photos") else { throw URLError(.badURL) }
        let images = FeedImages(loader: loader) { $0.thumbnail(scale: 2) }
        self.loader = loader
        feed = PhotoFeedModel(service: HTTPPhotoService(list: list, loader: loader), images: images)
    }
}
