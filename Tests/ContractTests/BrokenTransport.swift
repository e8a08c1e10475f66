import Foundation
import HTTPTypes
import ImageTransporting
import Synchronization
import Testing

/// A good transport, but for one promise that it breaks: the one that its defect names.
struct BrokenTransport: DataTransport {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case losesBytes = "a body arrives whole and in order, and its length is told truly or not at all"
        case givesEmptyPieces = "no piece is empty, and each starts at index 0"
        case fillsEmptyBodies = "an empty body ends at once"
        case mistakesItsAddress = "a response says where it came from, and that all is well"
        case takesOneByteLess = "a body of exactly the limit passes"
        case ignoresLimit = "a body larger than the limit is too large"
        case startsAnyway = "a task that was cancelled beforehand throws cancelled"
        case serialAlone = "requests at once each get the whole body"
        case throwsStatuses = "any status is a response"
        case inventsLength = "a body whose length was not told arrives whole"
        case ignoresLimitOfUntold = "a body larger than the limit is too large also when its length was not told"
        case acceptsShortBodies = "a body shorter than announced is closed early, and the bytes are counted"
        case acceptsCutBodies = "a body cut off without a length is closed early"
        case tellsFirstAddress = "redirects are followed within the limit, and the last address is told"
        case followsForEver = "more redirects than allowed are too many"
        case goesInCircles = "a redirect to an address that was asked before is a loop"
        case followsUnasked = "a redirect is returned to callers that follow redirects themselves"
        case followsAnywhere = "a redirect to a file is blocked"
        case waitsForHead = "cancelling while the head is awaited throws cancelled and ends the transfer"
        case waitsForBody = "cancelling while the body is awaited throws cancelled and ends the transfer"
        case keepsDropped = "dropping the body before its end ends the transfer"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let inner: any DataTransport
    private let kept = Kept()

    init(_ defect: Defect, inner: any DataTransport) {
        self.defect = defect
        self.inner = inner
    }

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        let altered = altered(request)
        var response: TransportResponse
        do throws(TransportFailure) {
            response = try await sendInner(altered)
        } catch {
            if case .redirectLoop = error, defect == .goesInCircles { throw .tooManyRedirects(request.maxRedirects) }
            guard case .blockedRedirect = error, defect == .followsAnywhere else { throw error }
            let nothing = TransportBody(pull: { () async throws(TransportFailure) in nil })
            return TransportResponse(head: .init(status: .ok, url: request.url), body: nothing)
        }
        kept.add(response.body)
        if defect == .throwsStatuses, response.head.status.code >= 400 { throw .other("\(response.head.status)") }
        if defect == .mistakesItsAddress { response.head.url.append(path: "x") }
        if defect == .tellsFirstAddress { response.head.url = request.url }
        if defect == .inventsLength { response.head.expectedBytes = 7 }
        let isCounted = response.head.expectedBytes != nil
        let body = response.body
        response.body = TransportBody(
            pull: { () async throws(TransportFailure) in try await pull(body, isCounted: isCounted) })
        if defect != .keepsDropped { kept.clear() }
        return response
    }

    private func altered(_ request: TransportRequest) -> TransportRequest {
        var request = request
        if defect == .takesOneByteLess { request.maxBodyBytes -= 1 }
        if defect == .ignoresLimit || defect == .ignoresLimitOfUntold { request.maxBodyBytes = .max }
        if defect == .followsUnasked { request.followsRedirects = true }
        if defect == .followsForEver { request.maxRedirects = 100 }
        return request
    }

    private func sendInner(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        guard defect == .waitsForHead || defect == .startsAnyway else { return try await inner.send(request) }
        let inner = inner
        return try await Task { () async -> Result<TransportResponse, TransportFailure> in
            do throws(TransportFailure) { return .success(try await inner.send(request)) } catch {
                return .failure(error)
            }
        }.value.get()
    }

    private func pull(_ body: TransportBody, isCounted: Bool) async throws(TransportFailure) -> Data? {
        if defect == .givesEmptyPieces, kept.isFirstTime() { return Data() }
        if defect == .serialAlone, kept.served() > 1 { return nil }
        do throws(TransportFailure) {
            let piece =
                defect == .waitsForBody || defect == .startsAnyway
                ? try await pullAnyway(body) : try await pullInner(body)
            if piece == nil, defect == .fillsEmptyBodies, kept.isFirstTime() { return Data([0]) }
            return defect == .losesBytes ? piece.map { Data($0.dropLast()) } : piece
        } catch {
            if case .closedEarly = error, defect == (isCounted ? .acceptsShortBodies : .acceptsCutBodies) { return nil }
            throw error
        }
    }

    private func pullInner(_ body: TransportBody) async throws(TransportFailure) -> Data? {
        var iterator = body.makeAsyncIterator()
        return try await iterator.next()
    }

    private func pullAnyway(_ body: TransportBody) async throws(TransportFailure) -> Data? {
        try await Task { () async -> Result<Data?, TransportFailure> in
            do throws(TransportFailure) { return .success(try await pullInner(body)) } catch { return .failure(error) }
        }.value.get()
    }
}

/// Reads every body to its end before it gives it out.
struct EagerTransport: DataTransport {
    let inner: any DataTransport

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        var response = try await inner.send(request)
        let pieces = Pieces()
        for try await piece in response.body { pieces.add(piece) }
        response.body = TransportBody(pull: { () async throws(TransportFailure) in pieces.take() })
        return response
    }
}

private final class Pieces: Sendable {
    private let rest = Mutex<[Data]>([])

    func add(_ piece: Data) { rest.withLock { $0.append(piece) } }
    func take() -> Data? { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}

private final class Kept: Sendable {
    private let bodies = Mutex<[TransportBody]>([])
    private let times = Mutex(0)

    func add(_ body: TransportBody) { bodies.withLock { $0.append(body) } }
    func clear() { bodies.withLock { $0 = [] } }
    func isFirstTime() -> Bool { served() == 1 }
    func served() -> Int {
        times.withLock { times in
            times += 1
            return times
        }
    }
}
