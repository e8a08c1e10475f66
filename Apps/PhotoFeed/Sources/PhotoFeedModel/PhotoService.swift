public import ImageCore

/// Loads a list of photos page by page.
public protocol PhotoService: Sendable {
    /// Returns the photos of a page, in order. The result is empty past the end.
    ///
    /// - Parameters:
    ///   - number: The number of the page, from 1.
    ///   - limit: The maximum number of photos per page.
    /// - Throws: `PhotoServiceFailure`.
    func page(_ number: Int, limit: Int) async throws(PhotoServiceFailure) -> [Photo]
}

/// An error of a photo service.
public enum PhotoServiceFailure: Error, Sendable, CustomStringConvertible {
    /// The page could not be loaded.
    case loading(ImageError)
    /// The response is not a list of photos. The value is an error message.
    case malformed(String)

    /// The error message.
    public var description: String {
        switch self {
        case .loading(let error): "\(error)"
        case .malformed(let text): "not a list of photos: \(text)"
        }
    }
}
