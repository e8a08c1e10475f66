public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Pages of photos as JSON over HTTP, through the loader that loads the images: `GET <list>?_page=1&_limit=10`.
///
/// A list is never shown from a cache while the origin can be asked: every page is revalidated, however fresh what is stored says it is, so that
/// what has not changed costs a 304. When the network fails, and then alone, the stored page is shown.
public struct HTTPPhotoService: PhotoService {
    private let list: URL
    private let loader: any ImageLoaderProtocol

    /// - Parameter list: without the query.
    public init(list: URL, loader: any ImageLoaderProtocol) {
        self.list = list
        self.loader = loader
    }

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
