import Foundation
import HTTPTypes
import ImageCore
import ImageDecoding
import ImageMemoryCaching

/// The file of a watermark that a URL names.
struct LoadedWatermark: Sendable {
    let data: Data
    let freshness: OriginFreshness
    /// When it was asked for. A later purge hides it.
    let loadedAt: Date
}

/// The files of watermarks in memory, because nearly every URL has the same one.
typealias WatermarkFiles = MemoryCache<String, LoadedWatermark>

extension ImageService {
    /// Loads the watermark that a URL names, as a source and for everybody: no header fields of clients are sent.
    ///
    /// - Returns: nil if the URL names none.
    /// - Throws: `.watermark`.
    func watermark(
        of request: ParsedRequests.Entry, _ trace: TraceContext
    ) async throws(ServiceFailure) -> LoadedWatermark? {
        guard let source = request.url.options.watermarkSource else { return nil }
        let name = source.absoluteString
        let purge = parts.purges.time(ofSource: source)
        if let known = watermarks.value(for: name), known.loadedAt > purge,
            parts.bounds.end(of: known.freshness, now: known.loadedAt) > parts.now()
        {
            return known
        }
        do {
            let time = parts.now()
            let original = OriginalClient([:], for: source, parts.forwarding).request(for: source, purgedAt: purge)
            let (data, freshness) = try await load(original, trace)
            let file = LoadedWatermark(data: data, freshness: freshness, loadedAt: time)
            if freshness.storage == .shared { watermarks.insert(file, cost: data.count + name.utf8.count, for: name) }
            return file
        } catch {
            throw .watermark(ServiceFailure(error))
        }
    }
}

extension ImageRenderer {
    /// Decodes a watermark. Throws `ServiceFailure.watermark`.
    func watermark(from data: Data, opacity: Double, isCancelled: @Sendable () -> Bool) throws -> Watermark {
        do {
            let bitmap = try decoder.decode(data, request: DecodingRequest(color: .sRGB), isCancelled: isCancelled)
                .bitmap
            return Watermark(bitmap: bitmap, opacity: opacity, identity: Digest.text(of: data))
        } catch .cancelled {
            throw RenderingFailure.cancelled
        } catch {
            throw ServiceFailure.watermark(.rendering(.decoding(error)))
        }
    }
}
