public import ImageCore

/// Tells which photos there are, a page at a time.
public protocol PhotoService: Sendable {
    /// One page of the list, in order. Empty past the end.
    ///
    /// - Parameters:
    ///   - number: from 1.
    ///   - limit: how many photos a page has at most.
    func page(_ number: Int, limit: Int) async throws(PhotoServiceFailure) -> [Photo]
}

/// Why there is no page.
public enum PhotoServiceFailure: Error, Sendable, CustomStringConvertible {
    case loading(ImageError)
    /// What came is no list of photos. The text is for people.
    case malformed(String)

    public var description: String {
        switch self {
        case .loading(let error): "\(error)"
        case .malformed(let text): "no list of photos: \(text)"
        }
    }
}
