public import PhotoFeedModel
public import SwiftUI

/// A list of photos that is loaded page by page. Set the loader of the images with `.imageLoader(_:)`.
public struct PhotoFeedView: View {
    private let feed: PhotoFeedModel
    private let usesVariants: Bool

    /// - Parameters:
    ///   - feed: The model, which the view loads when it appears.
    ///   - usesVariants: Whether rows show variants of the full images. The loader must have `variants`.
    public init(feed: PhotoFeedModel, usesVariants: Bool = false) {
        self.feed = feed
        self.usesVariants = usesVariants
    }

    /// The content of the view.
    public var body: some View {
        List {
            if let failure = feed.refreshFailure { FailureRow(failure) { Task { await feed.refresh() } } }
            ForEach(Array(feed.photos.enumerated()), id: \.element.id) { index, photo in
                PhotoRow(photo: photo, usesVariants: usesVariants).onAppear { feed.appeared(at: index) }
            }
            switch feed.viewState {
            case .idle, .loading: ProgressView()
            case .error(let failure): FailureRow(failure) { feed.load() }
            case .loaded: FeedFooter(feed: feed)
            }
        }
        .refreshable { await feed.refresh() }
        .onAppear { feed.load() }
    }
}

/// The row below the photos: one of four states.
private struct FeedFooter: View {
    let feed: PhotoFeedModel

    var body: some View {
        switch feed.paginationState {
        case .idle: EmptyView()
        case .loading: ProgressView()
        case .error(let failure): FailureRow(failure) { feed.retryPage() }
        case .done: Text(feed.photos.isEmpty ? "No photos" : "No more photos")
        }
    }
}

/// An error message and a button to try again.
private struct FailureRow: View {
    private let message: String
    private let retry: @MainActor () -> Void

    init(_ failure: PhotoServiceFailure, retry: @escaping @MainActor () -> Void) {
        message = failure.description
        self.retry = retry
    }

    var body: some View {
        HStack {
            Text(verbatim: message)
            // Otherwise a tap anywhere in the row would retry.
            Button("Try Again", action: retry).buttonStyle(.borderless)
        }
    }
}
