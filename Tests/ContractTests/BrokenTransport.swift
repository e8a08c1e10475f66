import Foundation
import HTTPTypes
import ImageTransporting
import Synchronization
import Testing

@testable import ImageTesting

/// A transport that breaks one rule, which is the raw value of its defect.
struct BrokenTransport: DataTransport {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case losesBytes = "a body arrives complete and in order, and its announced length is correct or absent"
        case returnsEmptyPieces = "no piece of a body is empty, and each starts at index 0"
        case fillsEmptyBodies = "an empty body has no pieces"
        case changesURL = "a response has the requested URL and the status 200"
        case lowersLimit = "a body of exactly the limit is accepted"
        case ignoresLimit = "a body larger than the limit fails as too large"
        case ignoresEarlierCancellation = "a task that is cancelled before it sends a request throws cancelled"
        case servesOnlyOneRequest = "concurrent requests each receive the complete body"
        case throwsStatuses = "a response with any status is returned, not thrown"
        case inventsLength = "a body without an announced length arrives complete"
        case ignoresLimitWithoutLength = "a body without an announced length that exceeds the limit fails as too large"
        case acceptsShortBodies = "a body shorter than announced fails as closed early, with the number of bytes"
        case acceptsDisconnects = "a body without an announced length that is cut off fails as closed early"
        case reportsFirstURL = "redirects within the limit are followed, and the response has the last URL"
        case ignoresRedirectLimit = "more redirects than allowed fail as too many"
        case ignoresLoops = "a redirect to a URL that was requested before fails as a loop"
        case alwaysFollows = "a redirect is returned to callers that follow redirects themselves"
        case allowsFiles = "a redirect to a file URL is blocked"
        case ignoresCancellationOfHead = "cancelling while the head is awaited throws cancelled and ends the transfer"
        case ignoresCancellationOfBody = "cancelling while the body is awaited throws cancelled and ends the transfer"
        case keepsReleasedBodies = "releasing an unfinished body ends the transfer"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let inner: any DataTransport
    private let kept = Kept()
    private let calls = Counter()

    init(_ defect: Defect, inner: any DataTransport) {
        self.defect = defect
        self.inner = inner
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let changed = changed(request)
        var response: TransportResponse
        do throws(TransportError) {
            response = try await sendInner(changed)
        } catch {
            if case .redirectLoop = error, defect == .ignoresLoops { throw .tooManyRedirects(request.maxRedirects) }
            guard case .blockedRedirect = error, defect == .allowsFiles else { throw error }
            let nothing = TransportBody(pull: { () async throws(TransportError) in nil })
            return TransportResponse(head: .init(status: .ok, url: request.url), body: nothing)
        }
        kept.add(response.body)
        if defect == .throwsStatuses, response.head.status.code >= 400 { throw .other("\(response.head.status)") }
        if defect == .changesURL { response.head.url.append(path: "x") }
        if defect == .reportsFirstURL { response.head.url = request.url }
        if defect == .inventsLength { response.head.expectedByteCount = 7 }
        let isCounted = response.head.expectedByteCount != nil
        let body = response.body
        response.body = TransportBody(
            pull: { () async throws(TransportError) in try await pull(body, isCounted: isCounted) })
        if defect != .keepsReleasedBodies { kept.clear() }
        return response
    }

    private func changed(_ request: TransportRequest) -> TransportRequest {
        var request = request
        if defect == .lowersLimit { request.bodyByteLimit -= 1 }
        if defect == .ignoresLimit || defect == .ignoresLimitWithoutLength { request.bodyByteLimit = .max }
        if defect == .alwaysFollows { request.followsRedirects = true }
        if defect == .ignoresRedirectLimit { request.maxRedirects = 100 }
        return request
    }

    private func sendInner(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard defect == .ignoresCancellationOfHead || defect == .ignoresEarlierCancellation else {
            return try await inner.send(request)
        }
        let inner = inner
        return try await Task { () async -> Result<TransportResponse, TransportError> in
            do throws(TransportError) { return .success(try await inner.send(request)) } catch {
                return .failure(error)
            }
        }.value.get()
    }

    private func pull(_ body: TransportBody, isCounted: Bool) async throws(TransportError) -> Data? {
        if defect == .returnsEmptyPieces, calls.next() == 0 { return Data() }
        if defect == .servesOnlyOneRequest, calls.next() > 0 { return nil }
        do throws(TransportError) {
            let piece =
                defect == .ignoresCancellationOfBody || defect == .ignoresEarlierCancellation
                ? try await pullInNewTask(body) : try await pullInner(body)
            if piece == nil, defect == .fillsEmptyBodies, calls.next() == 0 { return Data([0]) }
            return defect == .losesBytes ? piece.map { Data($0.dropLast()) } : piece
        } catch {
            if case .closedEarly = error, defect == (isCounted ? .acceptsShortBodies : .acceptsDisconnects) {
                return nil
            }
            throw error
        }
    }

    private func pullInner(_ body: TransportBody) async throws(TransportError) -> Data? {
        var iterator = body.makeAsyncIterator()
        return try await iterator.next()
    }

    private func pullInNewTask(_ body: TransportBody) async throws(TransportError) -> Data? {
        try await Task { () async -> Result<Data?, TransportError> in
            do throws(TransportError) { return .success(try await pullInner(body)) } catch { return .failure(error) }
        }.value.get()
    }
}

/// A transport that reads each body to its end before it returns it.
struct EagerTransport: DataTransport {
    let inner: any DataTransport

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var response = try await inner.send(request)
        response.body = TransportBody(try await response.body.collected(expectedByteCount: nil, byteLimit: .max))
        return response
    }
}

private final class Kept: Sendable {
    private let bodies = Mutex<[TransportBody]>([])

    func add(_ body: TransportBody) { bodies.withLock { $0.append(body) } }
    func clear() { bodies.withLock { $0 = [] } }
}
