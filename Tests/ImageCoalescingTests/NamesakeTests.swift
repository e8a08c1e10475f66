import ImageCoalescing
import ImageCore
import ImageTesting
import Testing

@Suite("Keys with one hash")
struct NamesakeTests {
    private struct Key: Hashable {
        let name: Int

        func hash(into hasher: inout Hasher) { hasher.combine(0) }
    }

    @Test(
        "are different work, joined and ended each on its own, whichever ends first",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func apart(order: [Int]) async throws {
        let coalescer = SharedWorkCoalescer<Key, Int>()
        let gates = (0..<3).map { _ in Gate() }
        let answers = MessageLog<Result<Int, any Error>>()
        let begins = MessageLog<Int>()
        let join: @Sendable (Int) -> Void = { name in
            _ = coalescer.join(Key(name: name), priority: .normal) {
                answers.append($0)
            } work: { _ in
                begins.append(name)
                await gates[name].pass()
                return name
            }
        }
        for name in 0..<3 { join(name) }
        await begins.reaches(3)
        var ended: [Int] = []
        for name in order {
            // Each that is under way still is joined, by its own key.
            for other in 0..<3 where !ended.contains(other) { join(other) }
            gates[name].open()
            ended.append(name)
            let expected = Array(repeating: name, count: ended.count + 1)
            await answers.reaches(ended.reduce(0) { $0 + 2 + (ended.firstIndex(of: $1) ?? 0) })
            #expect(try answers.messages.suffix(expected.count).map { try $0.get() } == expected)
        }
        #expect(begins.messages.sorted() == [0, 1, 2])
        await becomesTrue { coalescer.isIdle }
    }
}
