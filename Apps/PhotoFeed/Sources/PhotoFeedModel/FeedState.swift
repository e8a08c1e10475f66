/// The state of a list of photos that is loaded page by page: a state machine without services and tasks.
///
/// The list and its pagination have separate states, so that the rows stay if a page fails.
struct FeedState: Sendable {
    /// The identity of a fetch. The result of a fetch is ignored if another one has replaced it.
    struct FetchID: Hashable, Sendable {
        fileprivate var number = 0
    }

    /// A page to fetch. Replaces the current fetch.
    struct Fetch: Hashable, Sendable {
        var page: Int
        var id: FetchID
    }

    /// The effect of a received page.
    struct PageUpdate: Hashable, Sendable {
        /// The photos that were not in the list.
        var newPhotos: [Photo]
        /// The next page, if it must be fetched now because there is no new row that could trigger it.
        var nextFetch: Fetch?
    }

    /// The number of consecutive pages without new photos that ends the list, because some servers repeat their last
    /// page.
    static let stalePageLimit = 10

    private(set) var photos: [Photo] = []
    private(set) var view = PhotoFeedModel.ViewState.idle
    private(set) var pagination = PhotoFeedModel.PaginationState.idle
    private(set) var isRefreshing = false
    private(set) var refreshFailure: PhotoServiceFailure?
    /// The number of pages in `photos`.
    private var pageCount = 0
    /// The number of consecutive pages without new photos.
    private var stalePageCount = 0
    private var currentFetchID = FetchID()
    /// The value of `pagination` to restore if a refresh fails.
    private var paginationBeforeRefresh = PhotoFeedModel.PaginationState.idle

    // MARK: Fetching

    /// Fetches the first page, unless it is loaded or loading.
    mutating func load() -> Fetch? {
        switch view {
        case .idle, .error: break
        case .loading, .loaded: return nil
        }
        view = .loading
        return fetch(1)
    }

    /// Fetches the next page if the row is near the end and nothing else is loading.
    mutating func appeared(_ index: Int, distance: Int) -> Fetch? {
        guard index >= photos.count - max(1, distance), case .idle = pagination else { return nil }
        return fetchNextPage()
    }

    /// Fetches the page that has failed.
    mutating func retry() -> Fetch? {
        guard case .error = pagination else { return nil }
        return fetchNextPage()
    }

    /// Fetches the first page again. The rows stay until it is loaded.
    mutating func refresh() -> Fetch? {
        guard case .loaded = view else { return load() }
        guard !isRefreshing else { return nil }
        isRefreshing = true
        refreshFailure = nil
        if case .loading = pagination { pagination = .idle }
        paginationBeforeRefresh = pagination
        pagination = .idle
        return fetch(1)
    }

    private mutating func fetchNextPage() -> Fetch? {
        guard isAppending else { return nil }
        pagination = .loading
        return fetch(pageCount + 1)
    }

    private mutating func fetch(_ page: Int) -> Fetch {
        currentFetchID.number += 1
        return Fetch(page: page, id: currentFetchID)
    }

    /// Whether a received page is appended, instead of replacing all rows.
    private var isAppending: Bool {
        if case .loaded = view { !isRefreshing } else { false }
    }

    // MARK: Results

    /// Adds a page. Returns nil if another fetch has replaced this one.
    mutating func received(_ page: [Photo], _ id: FetchID) -> PageUpdate? {
        guard finish(id) else { return nil }
        if !isAppending {
            photos = []
            pageCount = 0
        }
        view = .loaded
        isRefreshing = false
        pageCount += 1
        var known = Set(photos.map(\.id))
        // Photos move to later pages when the server inserts others before them.
        let newPhotos = page.filter { known.insert($0.id).inserted }
        photos += newPhotos
        stalePageCount = newPhotos.isEmpty ? stalePageCount + 1 : 0
        pagination = page.isEmpty || stalePageCount >= Self.stalePageLimit ? .done : .idle
        guard newPhotos.isEmpty, case .idle = pagination else { return PageUpdate(newPhotos: newPhotos) }
        return PageUpdate(newPhotos: [], nextFetch: fetchNextPage())
    }

    mutating func failed(_ failure: PhotoServiceFailure, _ id: FetchID) {
        guard finish(id) else { return }
        if isRefreshing {
            isRefreshing = false
            refreshFailure = failure
            pagination = paginationBeforeRefresh
        } else if isAppending {
            pagination = .error(failure)
        } else {
            view = .error(failure)
        }
    }

    /// Finishes a fetch. Returns false if it is already finished or another fetch has replaced it.
    private mutating func finish(_ id: FetchID) -> Bool {
        guard id == currentFetchID else { return false }
        currentFetchID.number += 1
        return true
    }
}
