import ImageTesting
import Testing

@testable import ImageServerKit

@Suite(.timeLimit(.minutes(1))) struct AdmissionGateTests {
    @Test("admits up to the limits, refuses more at once, and admits again")
    func limits() async throws {
        let admission = AdmissionGate(
            limits: .init(renderings: 3, renderingsPerOrigin: 2, decoders: 1), clock: ManualClock())
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
        try await admission.run(origin: "a") {}
    }

    @Test("one origin can't use the whole limit")
    func fairness() async throws {
        let admission = AdmissionGate(limits: .init(renderings: 4, decoders: 1), clock: ManualClock())
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { try await admission.run(origin: "slow") { await gate.pass() } } }
            await gate.arrivals(3)
            await #expect(throws: AdmissionGate.Overload.self) { try await admission.run(origin: "slow") {} }
            try await admission.run(origin: "other") {}
            gate.open()
            try await group.waitForAll()
        }
    }

    @Test("while decodes wait, a refusal lowers an origin's limit until a second after the last wait")
    func overload() async throws {
        let clock = ManualClock()
        let admission = AdmissionGate(limits: .init(renderings: 6, renderingsPerOrigin: 5, decoders: 2), clock: clock)
        let (started, decoded, others) = (Gate(), Gate(), Gate())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    try await admission.run(origin: "a") {
                        await started.pass()
                        try await admission.runDecode { await decoded.pass() }
                    }
                }
            }
            await started.arrivals(5)
            started.open()
            await decoded.arrivals(5)
            #expect(try await isRefused(admission, "a"))
            decoded.open()
            try await group.waitForAll()
            #expect(admission.count == 0)

            for _ in 0..<2 { group.addTask { try await admission.run(origin: "a") { await others.pass() } } }
            await others.arrivals(2)
            clock.advance(by: .milliseconds(999))
            #expect(try await isRefused(admission, "a"))
            #expect(try await !isRefused(admission, "b"))
            // The last decode that waited was a second ago.
            clock.advance(by: .milliseconds(1))
            #expect(try await !isRefused(admission, "a"))
            others.open()
        }
    }

    @Test("in overload, an origin's limit is never higher than otherwise")
    func lowLimit() async throws {
        let admission = AdmissionGate(
            limits: .init(renderings: 8, renderingsPerOrigin: 2, decoders: 4), clock: ManualClock())
        let (decoded, others) = (Gate(), Gate())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await admission.runDecode { await decoded.pass() } } }
            for _ in 0..<2 { group.addTask { try await admission.run(origin: "a") { await others.pass() } } }
            await decoded.arrivals(5)
            await others.arrivals(2)
            #expect(try await isRefused(admission, "a"))
            #expect(try await isRefused(admission, "a"))
            decoded.open()
            others.open()
            try await group.waitForAll()
        }
    }

    @Test("in overload, a decode is refused if more than twice as many as decoders run or wait")
    func decodes() async throws {
        let admission = AdmissionGate(limits: .init(renderings: 2, decoders: 1), clock: ManualClock())
        let gate = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 { group.addTask { try await admission.runDecode { await gate.pass() } } }
            for _ in 0..<2 { group.addTask { try await admission.run(origin: "a") { await gate.pass() } } }
            await gate.arrivals(4)
            try await admission.runDecode {}
            #expect(try await isRefused(admission, "a"))
            group.addTask { try await admission.runDecode { await gate.pass() } }
            await gate.arrivals(5)
            await #expect(throws: AdmissionGate.Overload.self) { try await admission.runDecode {} }
            gate.open()
        }
    }

    private func isRefused(_ admission: AdmissionGate, _ origin: String) async throws -> Bool {
        do {
            try await admission.run(origin: origin) {}
            return false
        } catch is AdmissionGate.Overload {
            return true
        }
    }

    @Test("leaves when the work throws")
    func failing() async {
        let admission = AdmissionGate(limits: .init(renderings: 1, decoders: 1), clock: ManualClock())
        for _ in 0..<2 {
            await #expect(throws: DeadlineExceeded.self) {
                try await admission.run(origin: "a") { throw DeadlineExceeded() }
            }
        }
        #expect(admission.count == 0)
    }
}
