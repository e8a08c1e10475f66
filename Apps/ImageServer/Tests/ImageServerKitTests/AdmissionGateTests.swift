import ImageTesting
import Testing

@testable import ImageServerKit

@Suite struct AdmissionGateTests {
    @Test("admits up to the limits, refuses more at once, and admits again")
    func limits() async throws {
        let admission = AdmissionGate(limit: 3, originLimit: 2)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for origin in ["a", "a", "b"] {
                group.addTask { try await admission.run(origin: origin) { await gate.pass() } }
            }
            await gate.arrivals(3)
            #expect(admission.count == 3)
            await #expect(throws: AdmissionGate.Overload.self) { try await admission.run(origin: "c") {} }
            gate.open()
            try await group.waitForAll()
        }
        #expect(admission.count == 0)
        #expect(admission.refusalCount == 1)
        try await admission.run(origin: "a") {}
    }

    @Test("one origin can't use the whole limit")
    func fairness() async throws {
        let admission = AdmissionGate(limit: 4)
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { try await admission.run(origin: "slow") { await gate.pass() } } }
            await gate.arrivals(2)
            await #expect(throws: AdmissionGate.Overload.self) { try await admission.run(origin: "slow") {} }
            try await admission.run(origin: "other") {}
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test("leaves when the work throws")
    func failing() async {
        let admission = AdmissionGate(limit: 1)
        for _ in 0..<2 {
            await #expect(throws: DeadlineExceeded.self) {
                try await admission.run(origin: "a") { throw DeadlineExceeded() }
            }
        }
        #expect(admission.count == 0)
    }
}
