import Foundation
import HTTPTransports
import HTTPTypes
import ImageContractTesting
import ImageTransporting
import Synchronization
import Testing

@Suite("The contract of DataTransport: faults", .timeLimit(.minutes(10)))
struct DataTransportFaultTests {
    typealias Rule = ContractRule<DataTransportContract.Subject>

    @Test("the transports for HTTP obey", arguments: HTTPTransport.allCases, DataTransportContract.faultRules)
    func overHTTP(_ http: HTTPTransport, _ rule: Rule) async throws {
        try await rule.check { try TransportFixtures.served($0, to: http) }
    }

    @Test(
        "each rule bites a transport that breaks it", arguments: HTTPTransport.allCases,
        FaultBlindTransport.Defect.allCases)
    func brokenDouble(_ http: HTTPTransport, _ defect: FaultBlindTransport.Defect) async throws {
        let rule = try #require(DataTransportContract.faultRules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check { origin in
                var fixture = try TransportFixtures.served(origin, to: http)
                fixture.transport = FaultBlindTransport(defect, inner: fixture.transport)
                return fixture
            }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        let names = DataTransportContract.faultRules.map(\.name)
        #expect(Set(names) == Set(FaultBlindTransport.Defect.allCases.map(\.rawValue)))
    }
}

/// A good transport, but for one fault of origins that it does not see, or takes for another: the one that its defect names.
struct FaultBlindTransport: DataTransport {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case handsOnSurplus = "bytes beyond the announced length belong neither to this body nor to the next response"
        case acceptsCutChunks = "a body cut in the middle of a chunk is closed early"
        case takesAnyHead = "a head of a megabyte is too large"
        case countsCodedBytes = "a small coded body that unpacks to more than the limit is told as such"
        case blamesTheBody = "an origin that says nothing has timed out, waiting for the head"
        case blamesTheHead = "an origin that stops in the body has timed out, waiting for the body"
        case takesDripsForStalls = "a body that drips is no stall, and ends when the whole has taken too long"
        case forgetsBodies = "small bodies of requests arrive whole, empty ones too"

        var testDescription: String { rawValue }
    }

    private let defect: Defect
    private let inner: any DataTransport

    init(_ defect: Defect, inner: any DataTransport) {
        self.defect = defect
        self.inner = inner
    }

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        var request = request
        if defect == .takesAnyHead { request.maxHeadBytes = .max }
        if defect == .countsCodedBytes { request.maxBodyBytes = .max }
        if defect == .forgetsBodies { request.body = nil }
        var response: TransportResponse
        do throws(TransportFailure) {
            response = try await inner.send(request)
        } catch {
            throw mistaken(error)
        }
        let (body, surplus) = (response.body, Surplus(count: defect == .handsOnSurplus ? 1 : 0))
        response.body = TransportBody(pull: { () async throws(TransportFailure) in try await pull(body, surplus) })
        return response
    }

    private func pull(_ body: TransportBody, _ surplus: Surplus) async throws(TransportFailure) -> Data? {
        var iterator = body.makeAsyncIterator()
        do throws(TransportFailure) {
            if let piece = try await iterator.next() { return piece }
            return surplus.next()
        } catch {
            if case .closedEarly = error, defect == .acceptsCutChunks { return nil }
            throw mistaken(error)
        }
    }

    private func mistaken(_ failure: TransportFailure) -> TransportFailure {
        switch (defect, failure) {
        case (.blamesTheBody, .timedOut(.head)), (.takesDripsForStalls, .timedOut(.whole)): .timedOut(.body)
        case (.blamesTheHead, .timedOut(.body)): .timedOut(.head)
        default: failure
        }
    }
}

private final class Surplus: Sendable {
    private let left: Mutex<Int>

    init(count: Int) { left = Mutex(count) }

    func next() -> Data? {
        left.withLock { left in
            guard left > 0 else { return nil }
            left -= 1
            return Data([1])
        }
    }
}
