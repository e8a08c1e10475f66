public import ImageCore

/// Loads pages of photos as JSON over HTTP, with the loader of the images: `GET <list>?_page=1&_limit=10`.
///
/// Revalidates each page, even if the stored page is fresh. An unchanged page only costs a 304 response. Returns the
/// stored page only if the network fails.
public struct HTTPPhotoService: PhotoService {
    private let list: URL
    private let loader: any ImageLoaderProtocol

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - list: The URL of the list, without a query.
    ///   - loader: Loads the pages.
    public init(list: URL, loader: any ImageLoaderProtocol) {
        self.list = list
        self.loader = loader
    }

    /// Loads a page. See `PhotoService`.
    public func page(_ number: Int, limit: Int) async throws(PhotoServiceFailure) -> [Photo] {
        let url = list.appending(queryItems: [
            URLQueryItem(name: "_page", value: "\(number)"), URLQueryItem(name: "_limit", value: "\(limit)"),
        ])
        let data: Data
        do throws(ImageError) { data = try await body(of: url) } catch { throw .loading(error) }
        do {
            return try JSONDecoder().decode([Photo].self, from: data)
        } catch {
            throw .malformed("\(error)")
        }
    }

    private func body(of url: URL) async throws(ImageError) -> Data {
        var request = ImageRequest(
            url: url, priority: .high, cachePolicy: .diskOnly, mode: .revalidate,
            headers: ["Accept": "application/json"])
        do throws(ImageError) {
            return try await loader.data(for: request).data
        } catch {
            guard case .network = error else { throw error }
            request.mode = .onlyIfCached
            guard let stored = try? await loader.data(for: request) else { throw error }
            return stored.data
        }
    }
}
