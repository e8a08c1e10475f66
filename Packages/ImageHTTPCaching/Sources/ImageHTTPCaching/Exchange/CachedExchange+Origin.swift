import HTTPTypes
import ImageTransporting
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CachedExchange {
    /// A response from the origin, and the times at which the request was sent and the response arrived.
    struct OriginResponse {
        var response: TransportResponse
        var requestTime: Date
        var responseTime: Date

        var head: ResponseHead { response.head }
    }

    /// Sends the request to the origin without conditions.
    @Sendable func fetch() async throws(TransportFailure) -> TransportResponse {
        await deliver(try await sendToOrigin([:]))
    }

    private func sendToOrigin(_ conditions: HTTPFields) async throws(TransportFailure) -> OriginResponse {
        var request = request
        // A HEAD needs no conditions: its response describes the current state of the resource.
        if request.method == .get { request.headers.append(contentsOf: conditions) }
        let requestTime = store.now()
        let response = try await network.send(request)
        return OriginResponse(response: response, requestTime: requestTime, responseTime: store.now())
    }

    /// Validates a stored response with the origin (RFC 9111, 4.3). Fetches a new one if its body is missing.
    func validate(
        _ variant: VariantIndex.Variant, _ conditions: HTTPFields, _ fallback: StaleFallback
    ) async throws(TransportFailure) -> TransportResponse {
        guard let body = await store.body(of: variant, key) else { return try await fetch() }
        var stored = Stored(variant: variant, body: body)
        let origin: OriginResponse
        do throws(TransportFailure) {
            origin = try await sendToOrigin(conditions)
        } catch {
            guard fallback.allows(after: error) else { throw error }
            return try serve(stored, .stale)
        }
        switch await evaluate(origin, of: variant, fallback) {
        case .confirmed(let response):
            stored.variant.response = response
            return try serve(stored, .validated)
        case .serverError: return try serve(stored, .stale)
        case .mismatched: return try await fetch()
        case .replaced: return await deliver(origin)
        }
    }

    /// Returns the result of a validation. If the stored response is confirmed, updates it in the index.
    private func evaluate(
        _ origin: OriginResponse, of variant: VariantIndex.Variant, _ fallback: StaleFallback
    ) async -> ValidationResult {
        let result = ValidationResult(
            origin.head, of: variant.response, fallback: fallback, requestTime: origin.requestTime,
            responseTime: origin.responseTime)
        if result != .replaced { origin.response.body.discard() }
        if case .confirmed(let response) = result {
            await store.change(key) { $0.update(variant.bodyName, to: response) }
        }
        return result
    }

    // MARK: In the background

    /// Revalidates a response in the background (RFC 5861, 3). Starts at most one revalidation at a time for each key.
    func revalidateInBackground(_ variant: VariantIndex.Variant) {
        guard revalidations.insert(key.text) else { return }
        rules.runInBackground(request.url) {
            let outcome = await revalidate(variant)
            revalidations.remove(key.text)
            rules.observer(.revalidated(request.url, outcome))
        }
    }

    private func revalidate(_ variant: VariantIndex.Variant) async -> RevalidationOutcome {
        do throws(TransportFailure) {
            let origin = try await sendToOrigin(variant.response.validationFields)
            let response: TransportResponse
            switch await evaluate(origin, of: variant, .never) {
            case .confirmed: return .confirmed
            case .mismatched: response = try await fetch()
            case .serverError, .replaced: response = await deliver(origin)
            }
            for try await _ in response.body {}
            return .replaced(status: response.head.status.code)
        } catch {
            return .failed(error)
        }
    }
}

/// The result of validating a stored response with the origin (RFC 9111, 4.3.3).
enum ValidationResult: Hashable {
    /// The stored response is current. Its head is updated to this one.
    case confirmed(StoredHTTPResponse)
    /// The origin failed with a status for which the stored response may be returned.
    case serverError
    /// The 304 is for a different response. Send the request again without conditions.
    case mismatched
    /// The new response replaces the stored one.
    case replaced

    init(
        _ head: ResponseHead, of stored: StoredHTTPResponse, fallback: StaleFallback, requestTime: Date,
        responseTime: Date
    ) {
        if head.status == .notModified {
            let freshened = stored.freshened(byNotModified: head, requestTime: requestTime, responseTime: responseTime)
            self = freshened.map { .confirmed($0) } ?? .mismatched
        } else {
            self = fallback.allows(status: head.status.code) ? .serverError : .replaced
        }
    }
}

extension ResponseHead {
    var describesResource: Bool { status.code.describesResource }
}

extension StoredHTTPResponse {
    var describesResource: Bool { status.describesResource }
}

extension Int {
    /// Whether a response with this status describes the current state of the resource. Server errors and most client
    /// errors do not.
    fileprivate var describesResource: Bool { (200...399).contains(self) || self == 404 || self == 410 }
}

/// The keys that are being revalidated in the background. Prevents concurrent revalidations of a key.
final class PendingRevalidations: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// Returns false if the key was already present.
    func insert(_ key: String) -> Bool { keys.withLock { $0.insert(key).inserted } }
    func remove(_ key: String) { keys.withLock { _ = $0.remove(key) } }
}
