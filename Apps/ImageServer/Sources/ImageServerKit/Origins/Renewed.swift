import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageTransporting
import Synchronization

/// A value with the time until which it is valid.
struct Expiring<Value: Sendable>: Sendable {
    let value: Value
    var end = Date.distantFuture
}

/// A key or a token that is renewed before it expires, once for all callers that wait for it.
final class Renewed<Value: Sendable>: Sendable {
    private struct State {
        var current: Expiring<Value>?
        var renewalTime = Date.distantPast
    }

    private let state = Mutex(State())
    private let renewals = TaskCoalescer<String, Value>()
    private let now: @Sendable () -> Date
    private let load: @Sendable () async throws -> Expiring<Value>

    init(now: @escaping @Sendable () -> Date, load: @escaping @Sendable () async throws -> Expiring<Value>) {
        self.now = now
        self.load = load
    }

    /// Returns the value. It is renewed after four fifths of its time; if that fails, it is used until it expires.
    func value() async throws(TransportError) -> Value {
        if let value = valueInTime { return value }
        do {
            return try await renewals.value(for: "", priority: LivePriority(.normal), onProgress: { _ in }) { _ in
                // Another renewal may have ended meanwhile.
                if let value = self.valueInTime { return value }
                return try await self.renew()
            }
        } catch {
            let known = state.withLock { $0.current }
            guard let known, known.end > now() else { throw TransportError(error) }
            return known.value
        }
    }

    private var valueInTime: Value? {
        let now = now()
        return state.withLock { $0.renewalTime > now ? $0.current?.value : nil }
    }

    private func renew() async throws -> Value {
        let (start, new) = (now(), try await load())
        let time = start.addingTimeInterval(new.end.timeIntervalSince(start) * 0.8)
        state.withLock { $0 = State(current: new, renewalTime: time) }
        return new.value
    }
}

/// Small requests of this server to the services that give it keys and tokens.
struct KeyService: Sendable {
    private static let byteLimit = 64 << 10

    let network: any DataTransport

    /// Returns the body of a response. Throws for a status other than 200. The error names no header field and no body.
    func body(
        _ url: URL, _ method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:], sending body: String? = nil
    ) async throws(TransportError) -> Data {
        let request = TransportRequest(
            url: url, method: method, headers: headers, body: body.map { Data($0.utf8) },
            connectTimeout: .seconds(2), stallTimeout: .seconds(5), totalTimeout: .seconds(10),
            bodyByteLimit: Self.byteLimit, followsRedirects: false)
        let response = try await network.send(request)
        guard response.head.status == .ok else {
            throw .other("\(url.host() ?? "") gives no keys: status \(response.head.status.code)")
        }
        return try await response.body.collected(expectedByteCount: nil, byteLimit: Self.byteLimit)
    }

    /// Returns the response of a service to a form.
    func body(
        _ url: URL, form: [(String, String)], signed: (String) -> HTTPFields = { _ in [:] }
    ) async throws(TransportError) -> Data {
        let text = form.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
        var fields = signed(text)
        fields[.contentType] = "application/x-www-form-urlencoded"
        return try await body(url, .post, fields, sending: text)
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.percentEncoded { $0.isLetter || $0.isNumber || "-._~".contains($0) }
    }
}
