import Foundation
import ImageCoalescing
import ImageCore
import ImageScheduling
import ImageTesting
import Synchronization
import Testing

@testable import ImageLoading

/// Where work runs: what is written here of steps is that of system versions whose tasks can begin on the caller's thread.
@Suite("On whose thread shared work runs")
struct ThreadLoanTests {
    private static var tasksBeginHere: Bool {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return true }
        return false
    }

    @Test("who waits in a task has the work done on its thread: one step, when nothing is waited for")
    func oneStep() async throws {
        guard Self.tasksBeginHere else { return }
        let stage = SteppedLoader()
        let task = stage.load(stage.fixture.request("a"))
        #expect(stage.executor.step())
        #expect(stage.executor.readyCount == 0 && stage.fixture.imageCoalescer.isIdle)
        #expect(try await task.value.source == .network)
    }

    @Test("one piece of work takes a loan, before its end, and begins there and then")
    func oneTakes() {
        guard Self.tasksBeginHere else { return }
        let (loan, begun) = (ThreadLoan(), MessageLog<Int>())
        let takes = (1...2).map { number in
            loan.take(WorkTask(on: nil), for: { _ in begun.append(number) })
        }
        #expect(takes == [true, false] && begun.messages.isEmpty)
        loan.end()
        #expect(begun.messages == [1])
        let late = loan.take(WorkTask(on: nil), for: { _ in begun.append(3) })
        #expect(!late)
    }

    @Test("a handle's caller lends nothing: nothing is begun before another step, which decodes, too")
    func handle() async throws {
        let stage = SteppedLoader()
        let task = stage.loader.task(for: stage.fixture.request("a"))
        #expect(stage.sent.isEmpty && stage.executor.readyCount == 1)
        #expect(stage.executor.step())
        #expect(stage.executor.readyCount == 0 && stage.fixture.imageCoalescer.isIdle)
        #expect(try await task.image().source == .network)
    }

    @Test("two sizes of one original: the first goes on in the download's task, the second in one of its own")
    func twoSizes() async throws {
        let stage = SteppedLoader(downloads: 0)
        let tasks = [10, 20].map { stage.loader.task(for: stage.fixture.request("a", fit: $0)) }
        stage.executor.run()
        #expect(stage.executor.readyCount == 0)
        stage.scheduler.setLimit(1, of: .download)
        #expect(stage.executor.step())
        #expect(stage.executor.readyCount == 1 && stage.waiterCount == 1)
        #expect(stage.executor.step())
        #expect(stage.executor.readyCount == 0 && stage.fixture.imageCoalescer.isIdle)
        for task in tasks { #expect(try await task.image().source == .network) }
    }

    @Test("an application's own fetch, which may block, is not begun on the thread of who waits")
    func ownFetch() async throws {
        let stage = SteppedLoader()
        let fetches = Mutex(0)
        let request = ImageRequest(
            .fetch(name: "own") {
                fetches.withLock { $0 += 1 }
                return LoaderFixture.picture
            })
        let task = stage.load(request)
        #expect(stage.executor.step())
        #expect(fetches.withLock { $0 } == 0 && stage.executor.readyCount == 1)
        stage.executor.run()
        #expect(fetches.withLock { $0 } == 1)
        #expect(try await task.value.source == .network)
    }

    @Test("work on a lent thread is told when nobody waits any more, and who left is answered")
    func cancelled() async throws {
        let canceller = Canceller()
        let stage = SteppedLoader { $0.decoder = canceller }
        let request = stage.fixture.request("a")
        let task = stage.load(request)
        canceller.task.withLock { $0 = task }
        stage.executor.run()
        let error = await #expect(throws: ImageError.self) { try await task.value }
        #expect(error.map { if case .cancelled = $0 { true } else { false } } == true)
        #expect(canceller.wasTold.withLock { $0 } == [true])
        #expect(stage.fixture.imageCoalescer.isIdle && stage.fixture.dataCoalescer.isIdle)
    }
}

/// Cancels whoever asked, from inside of its work.
private final class Canceller: SizedImageDecoder {
    let task = Mutex<Task<LoadedImage, any Error>?>(nil)
    let wasTold = Mutex<[Bool]>([])

    func header(of data: Data) throws(DecodingFailure) -> ImageHeader { throw .unknownFormat }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        task.withLock { $0 }?.cancel()
        wasTold.withLock { $0.append(isCancelled()) }
        throw .cancelled
    }
}
