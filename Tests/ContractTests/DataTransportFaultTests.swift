import DataTransportFixtures
import Foundation
import HTTPTransports
import HTTPTypes
import ImageContractTesting
import ImageTransporting
import Testing

@testable import ImageTesting

@Suite("The contract of DataTransport: faults", .timeLimit(.minutes(10)))
struct DataTransportFaultTests {
    typealias Rule = ContractRule<DataTransportContract.Subject>

    @Test("the HTTP transports pass", arguments: HTTPTransport.allCases, DataTransportContract.faultRules)
    func overHTTP(_ http: HTTPTransport, _ rule: Rule) async throws {
        try await rule.check { try TransportFixtures.served($0, to: http.make()) }
    }

    @Test(
        "each rule fails for a transport that breaks it", arguments: HTTPTransport.allCases,
        FaultBlindTransport.Defect.allCases)
    func brokenDouble(_ http: HTTPTransport, _ defect: FaultBlindTransport.Defect) async throws {
        let rule = try #require(DataTransportContract.faultRules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check { server in
                var fixture = try TransportFixtures.served(server, to: http.make())
                fixture.transport = FaultBlindTransport(defect, inner: fixture.transport)
                return fixture
            }
        }
    }
}

/// A transport that ignores or confuses one fault of a server. The raw value of its defect is the rule that it breaks.
struct FaultBlindTransport: DataTransport {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case returnsSurplus = "bytes beyond the announced length belong neither to the body nor to the next response"
        case acceptsPartialChunks = "a body that is cut off in the middle of a chunk fails as closed early"
        case rejectsUnknownCodings = "a body in an unknown content coding arrives as received, with its length"
        case acceptsAnyHead = "a head of one megabyte fails as too large"
        case acceptsAnyTrailers = "trailers of one megabyte fail as too large"
        case countsEncodedBytes = "a small encoded body that unpacks to more than the limit fails as too large"
        case reportsBodyTimeout = "a request to a server that sends no head times out waiting for the head"
        case reportsHeadTimeout = "a request to a server that stops in the body times out waiting for the body"
        case waitsForSlowBodies = "a body that arrives slower than the minimum times out waiting for the body"
        case reportsStall = "a body that arrives byte by byte does not stall, and ends at the total timeout"
        case dropsRequestHeaders = "the header fields of a request reach the server"
        case dropsResponseHeaders = "the header fields of a response are returned"
        case dropsRequestBodies = "small request bodies arrive complete, including empty ones"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let inner: any DataTransport

    init(_ defect: Defect, inner: any DataTransport) {
        self.defect = defect
        self.inner = inner
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var request = request
        if defect == .acceptsAnyHead || defect == .acceptsAnyTrailers { request.headByteLimit = .max }
        if defect == .waitsForSlowBodies {
            request.minBytesPerSecond = 0
            request.totalTimeout = .seconds(2)
        }
        if defect == .countsEncodedBytes { request.bodyByteLimit = .max }
        if defect == .dropsRequestBodies { request.body = nil }
        if defect == .dropsRequestHeaders { request.headers = [:] }
        var response: TransportResponse
        do throws(TransportError) {
            response = try await inner.send(request)
        } catch {
            throw changed(error)
        }
        if defect == .dropsResponseHeaders { response.head.headers = [:] }
        if defect == .rejectsUnknownCodings, response.head.headers[.contentEncoding]?.isEmpty == false {
            throw .malformedResponse("a content coding that was not requested")
        }
        let (body, ends) = (response.body, Counter())
        response.body = TransportBody(pull: { () async throws(TransportError) in try await pull(body, ends) })
        return response
    }

    private func pull(_ body: TransportBody, _ ends: Counter) async throws(TransportError) -> Data? {
        var iterator = body.makeAsyncIterator()
        do throws(TransportError) {
            if let piece = try await iterator.next() { return piece }
            return defect == .returnsSurplus && ends.next() == 0 ? Data([1]) : nil
        } catch {
            if case .closedEarly = error, defect == .acceptsPartialChunks { return nil }
            throw changed(error)
        }
    }

    private func changed(_ failure: TransportError) -> TransportError {
        switch (defect, failure) {
        case (.reportsBodyTimeout, .timedOut(.head)), (.reportsStall, .timedOut(.total)): .timedOut(.body)
        case (.reportsHeadTimeout, .timedOut(.body)): .timedOut(.head)
        default: failure
        }
    }
}
