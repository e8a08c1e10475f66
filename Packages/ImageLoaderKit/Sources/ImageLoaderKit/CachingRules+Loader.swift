import HTTPTypes
import ImageCore
import ImageHTTPCaching
import ImageTransportCaching

extension CacheIdentity {
    /// Other headers make another identity, since a token may be in any of them: all that are sent but those that speak to caches.
    init(_ fields: HTTPFields, account: String?) {
        let others = fields.filter { !Self.otherwiseHeard.contains($0.name) }
        let lines = others.map { "\($0.name.canonicalName): \($0.value)\n" }.sorted().joined()
        let owner = account.map { "\($0.utf8.count):\($0)" }
        let partition = lines.isEmpty ? owner : "\(owner ?? "-")\n\(lines)"
        self.init(authorization: fields[.authorization], partition: partition)
    }

    private static let otherwiseHeard: Set<HTTPField.Name> = [
        .authorization, .cacheControl, .range, .ifRange, .ifNoneMatch, .ifModifiedSince,
    ]
}

extension ImageLoadEvent {
    /// What a loader's observer is told of it, if anything.
    init?(_ event: CachingEvent) {
        switch event {
        case .cacheFailed(let url, let failure): self.init(request: 0, url: url, kind: .diskFailed(failure))
        case .stored(let url, let bytes): self.init(request: 0, url: url, kind: .keptOnDisk(bytes: bytes))
        case .revalidated(let url, .replaced(status: 200)): self.init(request: 0, url: url, kind: .refreshed)
        case .revalidated: return nil
        }
    }
}
