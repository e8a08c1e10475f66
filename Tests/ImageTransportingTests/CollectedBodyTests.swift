import Foundation
import ImageTransporting
import Synchronization
import Testing

@Suite("Collecting a body")
struct CollectedBodyTests {
    private func body(_ pieces: [Data]) -> TransportBody {
        let rest = Pieces(pieces)
        return TransportBody(pull: { () async throws(TransportError) in rest.next() })
    }

    @Test(
        "pieces are joined in order, with progress after each, for any announced length",
        arguments: [nil, 0, 5, 1 << 40])
    func inOrder(_ expected: Int?) async throws {
        var progress: [Int] = []
        let data = try await body([Data([1, 2]), Data([3]), Data([4, 5])]).collected(
            expectedByteCount: expected, byteLimit: 5
        ) {
            progress.append($0)
        }
        #expect(data == Data([1, 2, 3, 4, 5]))
        #expect(progress == [2, 3, 5])
    }

    @Test("nothing is read after a failure or the end", arguments: [TransportError.connectionLost("cut"), nil])
    func readAfterEnd(_ failure: TransportError?) async throws {
        let reads = Mutex(0)
        let body = TransportBody(pull: { () async throws(TransportError) in
            reads.withLock { $0 += 1 }
            if let failure { throw failure }
            return nil
        })
        var iterator = body.makeAsyncIterator()
        if let failure {
            await #expect(throws: failure) { try await iterator.next() }
        } else {
            #expect(try await iterator.next() == nil)
        }
        #expect(try await iterator.next() == nil)
        #expect(reads.withLock { $0 } == 1)
    }

    @Test("a cancelled task gets no bytes of a body in memory")
    func cancelled() async {
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await TransportBody(Data([1])).collected(expectedByteCount: nil, byteLimit: 1)
        }
        await #expect(throws: TransportError.cancelled) { try await task.value }
    }

    @Test("a CancellationError is a cancellation only in a cancelled task", arguments: [true, false])
    func cancellationOfOthers(isCancelled: Bool) async {
        let error = await Task {
            if isCancelled { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            return TransportError(CancellationError())
        }.value
        #expect((error == .cancelled) == isCancelled)
    }

    @Test("a body without pieces is empty")
    func empty() async throws {
        #expect(try await body([]).collected(expectedByteCount: 3, byteLimit: 0).isEmpty)
    }

    @Test("a body above the limit throws tooLarge, in one piece or several", arguments: [[4], [2, 2], [3, 1]])
    func limited(_ counts: [Int]) async {
        await #expect(throws: TransportError.tooLarge(byteLimit: 3)) {
            try await body(counts.map { Data(count: $0) }).collected(expectedByteCount: nil, byteLimit: 3)
        }
    }
}

private final class Pieces: Sendable {
    private let rest: Mutex<ArraySlice<Data>>

    init(_ pieces: [Data]) { rest = Mutex(pieces[...]) }

    func next() -> Data? { rest.withLock { $0.popFirst() } }
}
