/// A list of photos, page by page. Pure: knows no service and no task.
///
/// What the list as a whole is doing and what its end is doing are two states: a page that fails takes no row away.
struct FeedState: Sendable {
    /// Tells each fetch from all others: an answer to one that is not wanted any more changes nothing.
    struct Ticket: Hashable, Sendable {
        fileprivate var number = 0
    }

    /// A page to be fetched, in place of whatever is being fetched.
    struct Fetch: Hashable, Sendable {
        var page: Int
        var ticket: Ticket
    }

    /// What a page has brought.
    struct Arrival: Hashable, Sendable {
        /// The photos that were not there before.
        var news: [Photo]
        /// The page to go on with: no row would ask for it, because there is no new one.
        var next: Fetch?
    }

    /// After so many pages in a row that bring nothing new the list has come to its end: there are origins that go on with their last page for ever.
    static let patience = 10

    private(set) var photos: [Photo] = []
    private(set) var view = PhotoFeedModel.ViewState.idle
    private(set) var pagination = PhotoFeedModel.PaginationState.idle
    private(set) var isRefreshing = false
    private(set) var refreshFailure: PhotoServiceFailure?
    /// How many pages are in `photos`.
    private var pageCount = 0
    /// How many pages in a row have brought nothing new.
    private var staleCount = 0
    private var ticket = Ticket()
    /// What `pagination` goes back to if a refresh fails.
    private var paginationBefore = PhotoFeedModel.PaginationState.idle

    // MARK: What is wanted

    /// The first page: at the beginning, and after it has failed.
    mutating func load() -> Fetch? {
        switch view {
        case .idle, .error: break
        case .loading, .loaded: return nil
        }
        view = .loading
        return fetch(1)
    }

    /// The next page, if the row is so near to the end, and nothing else is being fetched.
    mutating func appeared(_ index: Int, distance: Int) -> Fetch? {
        guard index >= photos.count - max(1, distance), case .idle = pagination else { return nil }
        return nextPage()
    }

    /// The page that has failed.
    mutating func retry() -> Fetch? {
        guard case .error = pagination else { return nil }
        return nextPage()
    }

    /// The first page anew. The rows stay until it is there.
    mutating func refresh() -> Fetch? {
        guard case .loaded = view else { return load() }
        guard !isRefreshing else { return nil }
        isRefreshing = true
        refreshFailure = nil
        if case .loading = pagination { pagination = .idle }
        (paginationBefore, pagination) = (pagination, .idle)
        return fetch(1)
    }

    private mutating func nextPage() -> Fetch? {
        guard continues else { return nil }
        pagination = .loading
        return fetch(pageCount + 1)
    }

    private mutating func fetch(_ page: Int) -> Fetch {
        ticket.number += 1
        return Fetch(page: page, ticket: ticket)
    }

    /// True while pages are added to those that are there; false while the first is awaited.
    private var continues: Bool {
        if case .loaded = view { !isRefreshing } else { false }
    }

    // MARK: What comes

    /// Nil when nobody wants the page any more.
    mutating func received(_ page: [Photo], _ ticket: Ticket) -> Arrival? {
        guard ends(ticket) else { return nil }
        if !continues { (photos, pageCount) = ([], 0) }
        (view, isRefreshing) = (.loaded, false)
        pageCount += 1
        let known = Set(photos.map(\.id))
        // Rows move to later pages when others are put before them.
        let news = page.filter { !known.contains($0.id) }
        photos += news
        staleCount = news.isEmpty ? staleCount + 1 : 0
        pagination = page.isEmpty || staleCount >= Self.patience ? .done : .idle
        guard news.isEmpty, case .idle = pagination else { return Arrival(news: news) }
        return Arrival(news: [], next: nextPage())
    }

    mutating func failed(_ failure: PhotoServiceFailure, _ ticket: Ticket) {
        guard ends(ticket) else { return }
        if isRefreshing {
            (isRefreshing, refreshFailure, pagination) = (false, failure, paginationBefore)
        } else if continues {
            pagination = .error(failure)
        } else {
            view = .error(failure)
        }
    }

    /// A fetch ends once, and only the latest counts.
    private mutating func ends(_ ticket: Ticket) -> Bool {
        guard ticket == self.ticket else { return false }
        self.ticket.number += 1
        return true
    }
}
