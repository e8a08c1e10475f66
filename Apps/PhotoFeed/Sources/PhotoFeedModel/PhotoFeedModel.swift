public import Observation

/// The model of a view that shows a feed of photos: the rows, the loading state of the list, and the state of its
/// pagination.
///
/// ```swift
/// let feed = PhotoFeedModel(service: service)
/// feed.load()                   // when the view appears
/// feed.appeared(at: index)      // when a row appears
/// ```
@MainActor
@Observable
public final class PhotoFeedModel {
    /// The loading state of the list.
    public enum ViewState: Sendable {
        /// Loading has not started.
        case idle
        /// The first page is loading, and there are no rows.
        case loading
        /// There are rows, or the list is empty.
        case loaded
        /// The first page failed to load. `load()` tries again.
        case error(PhotoServiceFailure)
    }

    /// The state of the pagination.
    public enum PaginationState: Sendable {
        /// The next page loads when a row near the end appears.
        case idle
        /// The next page is loading.
        case loading
        /// The next page failed to load. `retryPage()` tries again.
        case error(PhotoServiceFailure)
        /// There are no more pages.
        case done
    }

    /// Options of pagination.
    public struct Options: Hashable, Sendable {
        /// The number of photos per page, at least 1.
        public var pageSize = 10
        /// The distance from the end at which a row triggers the next page, in rows, at least 1.
        public var fetchDistance = 5

        /// Creates the default options.
        public init() {}
    }

    /// The photos of all loaded pages, without duplicates.
    public var photos: [Photo] { state.photos }
    /// The loading state of the list.
    public var viewState: ViewState { state.view }
    /// The state of the pagination.
    public var paginationState: PaginationState { state.pagination }
    /// Whether a refresh is in progress.
    public var isRefreshing: Bool { state.isRefreshing }
    /// The error of the last refresh, or `nil` if it succeeded or another one has started. A failed refresh keeps the
    /// rows.
    public var refreshFailure: PhotoServiceFailure? { state.refreshFailure }

    private var state = FeedState()
    @ObservationIgnored private let service: any PhotoService
    @ObservationIgnored private let images: FeedImages?
    @ObservationIgnored private let options: Options
    @ObservationIgnored private var fetching: Task<Void, Never>?

    /// Creates a model without photos.
    ///
    /// - Parameters:
    ///   - service: Loads the pages.
    ///   - images: Prefetches the images of loaded pages, or `nil` for no prefetching.
    ///   - options: The options of pagination.
    public init(service: any PhotoService, images: FeedImages? = nil, options: Options = Options()) {
        self.service = service
        self.images = images
        self.options = options
    }

    deinit { fetching?.cancel() }

    /// Loads the first page, unless it is loaded or loading.
    public func load() { fetch(state.load()) }

    /// Loads the next page if a row near the end appears, unless a page is loading or has failed. Call it for each row.
    public func appeared(at index: Int) { fetch(state.appeared(index, distance: options.fetchDistance)) }

    /// Loads the page that has failed again.
    public func retryPage() { fetch(state.retry()) }

    /// Loads the first page again. The rows stay until it is loaded. Returns when it is loaded or has failed
    /// (`refreshFailure`).
    public func refresh() async {
        fetch(state.refresh())
        await fetching?.value
    }

    private func fetch(_ fetch: FeedState.Fetch?) {
        guard let fetch else { return }
        fetching?.cancel()
        fetching = Task { [weak self, service, pageSize = max(1, options.pageSize)] in
            do throws(PhotoServiceFailure) {
                let page = try await service.page(fetch.page, limit: pageSize)
                self?.received(page, fetch)
            } catch {
                self?.state.failed(error, fetch.id)
            }
        }
    }

    private func received(_ page: [Photo], _ fetch: FeedState.Fetch) {
        guard let update = state.received(page, fetch.id) else { return }
        images?.prefetch(update.newPhotos, isFirstPage: fetch.page == 1)
        self.fetch(update.nextFetch)
    }
}
