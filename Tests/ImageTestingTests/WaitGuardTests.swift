import Testing

@testable import ImageTesting

@Suite("A wait for what does not happen", .timeLimit(.minutes(5)))
struct WaitGuardTests {
    @Test("ends the process, and says where the test waits and what has happened instead")
    func event() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let gate = TestGate()
            gate.open()
            await gate.pass()
            await WaitGuard.$turns.withValue(0) { await gate.waitForArrivals(2) }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("ImageTestingTests/WaitGuardTests.swift:") && text.contains("arrivalCount: 1"))
    }

    @Test("ends the process also if the test asks again and again")
    func condition() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await WaitGuard.$turns.withValue(0) { await becomesTrue { false } }
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("ImageTestingTests/WaitGuardTests.swift:"))
    }
}
