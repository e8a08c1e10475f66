import Foundation
import HTTPTypes
import ImageCore
import ImageMemoryCaching

/// A file beside sources: a watermark that a URL names, or the fallback image.
struct LoadedFile: Sendable {
    let data: Data
    let freshness: OriginFreshness
    /// When it was asked for. A later purge hides it.
    let loadedAt: Date
}

/// Such files in memory, because nearly every URL has the same ones.
typealias LoadedFiles = MemoryCache<String, LoadedFile>

extension ImageService {
    /// Loads the watermark that a URL names.
    ///
    /// - Returns: nil if the URL names none.
    /// - Throws: `.watermark`.
    func watermark(
        of request: ParsedRequests.Entry, _ trace: TraceContext
    ) async throws(ServiceFailure) -> LoadedFile? {
        guard let source = request.url.options.watermarkSource else { return nil }
        do {
            return try await file(at: source, trace)
        } catch {
            throw .watermark(ServiceFailure(error))
        }
    }

    /// Loads a file as a source and for everybody: no header fields of clients are sent.
    ///
    /// - Parameter acceptsStale: Whether a file that is out of date, but not purged, is used if it can't be loaded.
    func file(at source: URL, acceptsStale: Bool = false, _ trace: TraceContext) async throws -> LoadedFile {
        let name = source.absoluteString
        let purge = parts.purges.time(ofFile: source)
        let known = files.value(for: name).flatMap { $0.loadedAt > purge ? $0 : nil }
        if let known, parts.bounds.end(of: known.freshness, now: known.loadedAt) > parts.now() { return known }
        do {
            let time = parts.now()
            let original = OriginalClient([], for: source, parts.forwarding)
                .request(for: source, purgedAt: parts.purges.time(ofOriginal: source))
            let (data, freshness) = try await load(original, trace)
            let file = LoadedFile(data: data, freshness: freshness, loadedAt: time)
            if freshness.storage == .shared { files.insert(file, cost: data.count + name.utf8.count, for: name) }
            return file
        } catch {
            guard acceptsStale, let known else { throw error }
            return known
        }
    }
}
