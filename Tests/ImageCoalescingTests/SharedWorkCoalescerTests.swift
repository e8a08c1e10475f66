import ImageCoalescing
import ImageCore
import ImageTesting
import Testing

@Test("two waiters share one piece of work")
func sharesWork() async throws {
    let coalescer = SharedWorkCoalescer<String, Int>()
    let gate = Gate()
    let calls = Gate()
    calls.open()
    let tasks = (1...2).map { number in
        Task {
            try await coalescer.value(
                for: "a", waiter: WaiterID(rawValue: UInt64(number)), priority: .normal, onProgress: { _ in }
            ) { _ in
                await calls.pass()
                await gate.pass()
                return 7
            }
        }
    }
    await calls.arrivals(1)
    while coalescer.waiterCount < 2 { await Task.yield() }
    gate.open()
    for task in tasks { #expect(try await task.value == 7) }
    #expect(calls.arrivalCount == 1)
}
