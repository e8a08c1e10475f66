import HTTPTypes
import ImageCore
import ImageHTTPCaching
import ImageTransporting

extension CacheIdentity {
    /// Creates an identity from all headers except those for caches and hints, because any of them may contain a token.
    init(_ fields: HTTPFields, account: String?) {
        let others = fields.filter { !Self.cacheHeaders.contains($0.name) }
        let lines = others.map { [$0.name.canonicalName, $0.byteText].textWithLengths }.sorted().joined()
        let owner = account.map(\.textWithLength)
        let partition = lines.isEmpty ? owner : "\(owner ?? "-")\n\(lines)"
        self.init(fields, partition: partition)
    }

    private static let cacheHeaders: Set<HTTPField.Name?> = [
        .authorization, .cacheControl, .range, .ifRange, .ifNoneMatch, .ifModifiedSince, .accept, .saveData,
    ]
}

extension ImageLoadEvent {
    /// Converts an event of the cache. Returns nil for events that the observers of a loader don't receive.
    init?(_ event: CachingEvent) {
        switch event {
        case .cacheFailed(let url, let failure): self.init(requestID: nil, url: url, kind: .diskFailed(failure))
        case .stored(let url, let bytes): self.init(requestID: nil, url: url, kind: .storedOnDisk(bytes: bytes))
        case .revalidated(let url, .replaced(status: 200)): self.init(requestID: nil, url: url, kind: .refreshed)
        case .revalidated: return nil
        }
    }
}
