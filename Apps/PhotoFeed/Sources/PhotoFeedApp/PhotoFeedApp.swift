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
    var body: some Scene {
        WindowGroup { FeedScreen() }
    }
}

private struct FeedScreen: View {
    @Environment(\.displayScale) private var displayScale
    @State private var content: Result<FeedContent, any Error>?

    var body: some View {
        switch content {
        case .success(let content): PhotoFeedView(feed: content.feed).imageLoader(content.loader)
        case .failure(let error): Text(verbatim: "\(error)")
        // Prefetched images need the scale of the rows.
        case nil: ProgressView().onAppear { content = Result { try FeedContent(scale: displayScale) } }
        }
    }
}

/// The loader and the model of the feed.
@MainActor
private struct FeedContent {
    let loader: ImageLoader
    let feed: PhotoFeedModel

    init(scale: Double) throws {
        let loader = ImageLoader()
        guard let list = URL(string: "https://jsonplaceholder.typicode.com/photos") else { throw URLError(.badURL) }
        let images = FeedImages(loader: loader) { $0.thumbnail(scale: scale) }
        self.loader = loader
        feed = PhotoFeedModel(service: HTTPPhotoService(list: list, loader: loader), images: images)
    }
}
