import DataTransportFixtures
import Foundation
import HTTPTransports
import HTTPTypes
import ImageHTTPCaching
import ImageTesting
import ImageTransporting
import LoopbackServer
import Testing

@testable import ImageContractTesting

@Suite("The contract of DataTransport", .timeLimit(.minutes(10)))
struct DataTransportContractTests {
    typealias Rule = ContractRule<DataTransportContract.Subject>
    static let remoteRules = DataTransportContract.rules + DataTransportContract.networkRules

    @Test(
        "the HTTP transports pass", arguments: HTTPTransport.allCases,
        remoteRules + DataTransportContract.backpressureRules)
    func overHTTP(_ http: HTTPTransport, _ rule: Rule) async throws {
        try await rule.check { try TransportFixtures.served($0, to: http.make()) }
    }

    @Test("the scripted transport passes", arguments: remoteRules)
    func scripted(_ rule: Rule) async throws {
        try await rule.check { try TransportFixtures.scripted($0) }
    }

    @Test("the caching transport passes", arguments: remoteRules)
    func caching(_ rule: Rule) async throws {
        try await rule.check { server in
            var fixture = try TransportFixtures.scripted(server)
            let now = Date(timeIntervalSince1970: 1_700_000_000)
            fixture.transport = CachingTransport(over: fixture.transport, cache: InMemoryDataCache(), clock: nil) {
                now
            }
            return fixture
        }
    }

    @Test("the circuit-breaking transport passes", arguments: remoteRules)
    func circuitBreaking(_ rule: Rule) async throws {
        try await rule.check { server in
            var fixture = try TransportFixtures.scripted(server)
            fixture.transport = CircuitBreakingTransport(fixture.transport, clock: ManualClock())
            return fixture
        }
    }

    @Test("the file transport passes the rules for every transport", arguments: DataTransportContract.rules)
    func file(_ rule: Rule) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "contract-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await rule.check { server in
            let url = folder.appending(path: UUID().uuidString)
            try Data(server.pieces.joined()).write(to: url)
            return DataTransportContract.Fixture(transport: FileTransport(.folders([folder])), url: url)
        }
    }

    @Test("the transport for data: URLs passes the rules for every transport", arguments: DataTransportContract.rules)
    func dataURL(_ rule: Rule) async throws {
        try await rule.check { server in
            let text = "data:image/png;base64,\(Data(server.pieces.joined()).base64EncodedString())"
            return DataTransportContract.Fixture(transport: DataURLTransport(), url: try #require(URL(string: text)))
        }
    }

    @Test("each rule fails for a transport that breaks it", arguments: BrokenTransport.Defect.allCases)
    func brokenDouble(_ defect: BrokenTransport.Defect) async throws {
        let rule = try #require(Self.remoteRules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.checkBrokenDouble { server in
                var fixture = try TransportFixtures.scripted(server)
                fixture.transport = BrokenTransport(defect, inner: fixture.transport)
                return fixture
            }
        }
    }

    @Test(
        "the rule about backpressure fails for a transport that reads without a limit",
        arguments: HTTPTransport.allCases, DataTransportContract.backpressureRules)
    func eager(_ http: HTTPTransport, _ rule: Rule) async throws {
        await #expect(throws: ContractViolation.self) {
            try await rule.check { server in
                var fixture = try TransportFixtures.served(server, to: http.make())
                fixture.transport = EagerTransport(inner: fixture.transport)
                return fixture
            }
        }
    }
}
