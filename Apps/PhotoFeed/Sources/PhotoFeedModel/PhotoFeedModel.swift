public import Observation

/// A feed of photos for a view to show: rows, what the list is doing, and what its end is doing.
///
/// ```swift
/// let feed = PhotoFeedModel(service: service)
/// feed.load()                   // when the view appears
/// feed.appeared(at: index)      // when a row does
/// ```
@MainActor
@Observable
public final class PhotoFeedModel {
    /// What the list as a whole is doing.
    public enum ViewState: Sendable {
        /// Nothing was asked for yet.
        case idle
        /// The first page is on its way, and there is no row.
        case loading
        case loaded
        /// The first page did not come; `load()` tries again.
        case error(PhotoServiceFailure)
    }

    /// What the end of the list is doing.
    public enum PaginationState: Sendable {
        case idle
        /// The next page is on its way.
        case loading
        /// The next page did not come; the rows are there, and `retryPage()` tries again.
        case error(PhotoServiceFailure)
        /// There are no more.
        case done
    }

    /// How the feed is cut and fetched.
    public struct Options: Hashable, Sendable {
        /// How many photos a page has, at least 1.
        public var pageSize = 10
        /// So many rows before the end the next page is fetched, at least 1.
        public var distance = 5

        public init() {}
    }

    public var photos: [Photo] { state.photos }
    public var viewState: ViewState { state.view }
    public var paginationState: PaginationState { state.pagination }
    public var isRefreshing: Bool { state.isRefreshing }
    /// Why the last refresh brought nothing; the rows are those from before. Nil since the next has begun.
    public var refreshFailure: PhotoServiceFailure? { state.refreshFailure }

    private var state = FeedState()
    @ObservationIgnored private let service: any PhotoService
    @ObservationIgnored private let images: FeedImages?
    @ObservationIgnored private let options: Options
    @ObservationIgnored private var fetching: Task<Void, Never>?

    /// - Parameter images: loads pages' images ahead of need, first image first; nil loads none.
    public init(service: any PhotoService, images: FeedImages? = nil, options: Options = Options()) {
        self.service = service
        self.images = images
        self.options = options
    }

    deinit { fetching?.cancel() }

    /// Fetches the first page, if none has come or is on its way.
    public func load() { fetch(state.load()) }

    /// Tells that a row is to be seen: near the end, the next page is fetched. One page at a time; a page that has failed waits for
    /// `retryPage()`.
    public func appeared(at index: Int) { fetch(state.appeared(index, distance: options.distance)) }

    /// Fetches the page that has failed.
    public func retryPage() { fetch(state.retry()) }

    /// Fetches the first page anew; the rows stay until it is there. Returns when it has come, or has failed (`refreshFailure`).
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
                self?.state.failed(error, fetch.ticket)
            }
        }
    }

    private func received(_ page: [Photo], _ fetch: FeedState.Fetch) {
        guard let arrival = state.received(page, fetch.ticket) else { return }
        images?.came(arrival.news, isFirstPage: fetch.page == 1)
        self.fetch(arrival.next)
    }
}
