import Foundation
import ImageLoaderKit
import ImageLoading
import ImagePresentingSwiftUI
import PhotoFeedModel
import PhotoFeedViews
import SwiftUI

/// Shows the photos of JSONPlaceholder, whose format a `Photo` has. With the argument `--demo-server http://host:port`, shows
/// those of the demo server in the size of the rows.
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
        case .success(let content):
            PhotoFeedView(feed: content.feed, usesVariants: content.usesVariants).imageLoader(content.loader)
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
    let usesVariants: Bool

    init(scale: Double) throws {
        let demoServer = CommandLine.arguments.drop { $0 != "--demo-server" }.dropFirst().first
        let usesVariants = demoServer != nil
        guard let site = URL(string: demoServer ?? "https://jsonplaceholder.typicode.com") else {
            throw URLError(.badURL)
        }
        let loader = ImageLoader { options in
            if usesVariants { options.variants = .demo }
        }
        let images = FeedImages(loader: loader) { $0.thumbnail(scale: scale, usesVariants: usesVariants) }
        let list = site.appending(path: "photos")
        self.loader = loader
        self.usesVariants = usesVariants
        feed = PhotoFeedModel(service: HTTPPhotoService(list: list, loader: loader), images: images)
    }
}
