import Foundation
import ImageCore
import ImageLoading
import ImageTransporting
import Testing

@testable import ImagePresenting
@testable import ImageTesting

@MainActor
@Suite("Prefetch controller", .timeLimit(.minutes(10)))
struct PrefetchControllerTests {
    /// A loader that ignores queries.
    private let fixture = LoaderTestBed { $0.urlIdentifier = { url in url.path } }
    private let gate = TestGate()
    private let options = PrefetchOptions(lead: .milliseconds(1), minAhead: 3, maxAhead: 3)

    private func controller(limit: Int = 16, name: @escaping (Int) -> String? = { "\($0)" }) -> PrefetchController {
        PrefetchController(
            prefetcher: ImagePrefetcher(loader: fixture.loader, maxConcurrentRequests: limit), options: options
        ) {
            index in
            name(index).map { fixture.request($0, behind: gate) }
        }
    }

    /// The names of the images that were requested from the transport.
    private var sent: Set<String> { Set(fixture.transport.requests.map(\.url.lastPathComponent)) }

    private var cancelled: Set<String> {
        Set(
            fixture.transport.messages.compactMap {
                if case .cancelled(let url) = $0 { url.lastPathComponent } else { nil }
            })
    }

    @Test("remembers only the requests of items that are loaded or loading")
    func forgets() {
        let controller = controller()
        func started() -> Set<Int>? {
            let started = Mirror(reflecting: controller).descendant("started")
            return (started as? [Int: (request: ImageRequest, key: RequestKey)]).map { Set($0.keys) }
        }
        for first in 0..<50 { controller.update(visible: first..<first + 2, of: 100, at: .seconds(first)) }
        #expect(started() == Set(controller.items))
        controller.reset()
        #expect(started() == [])
    }

    @Test("loads the visible items and a limited number ahead, each once")
    func ahead() async {
        let controller = controller()
        controller.update(visible: 0..<2, of: 100, at: .zero)
        await fixture.transport.waitForSends(5)
        #expect(sent == ["0", "1", "2", "3", "4"])
        #expect(controller.items == 0..<5)
        controller.update(visible: 0..<2, of: 100, at: .seconds(1))
        #expect(fixture.transport.sendCount == 5)
        gate.open()
        await becomesTrue { fixture.memory.images.count >= 5 }
        #expect(cancelled.isEmpty)
    }

    @Test("a reversal cancels the far side and loads the near side")
    func reversal() async {
        let controller = controller()
        controller.update(visible: 10..<12, of: 100, at: .zero)
        await fixture.transport.waitForSends(5)
        controller.update(visible: 13..<15, of: 100, at: .seconds(1))
        await fixture.transport.waitForSends(8)
        #expect(controller.items == 13..<18)
        controller.update(visible: 10..<12, of: 100, at: .seconds(2))
        #expect(controller.items == 7..<12)
        await fixture.transport.waitForSends(13)
        await fixture.transport.waitForCancellations(8)
        #expect(cancelled == Set((10..<18).map { "\($0)" }))
        #expect(sent.isSuperset(of: (7..<12).map { "\($0)" }))
        gate.open()
    }

    /// Scrolls from the first of four items to the last, which shows the same image.
    private func scrolledToTwin(_ twin: String = "a") async -> PrefetchController {
        let controller = controller { ["a", "b", "c", twin][$0] }
        controller.update(visible: 0..<1, of: 4, at: .zero)
        await fixture.transport.waitForSends(3)
        controller.update(visible: 3..<4, of: 4, at: .seconds(1))
        return controller
    }

    @Test("an image continues to load while another item shows it, also with another URL", arguments: ["a", "a?sig=2"])
    func sameImage(_ twin: String) async {
        let controller = await scrolledToTwin(twin)
        await fixture.transport.waitForCancellations(2)
        #expect(cancelled == ["b", "c"])
        gate.open()
        await becomesTrue { !fixture.memory.images.isEmpty }
        #expect(fixture.transport.sendCount == 3)
        withExtendedLifetime(controller) {}
    }

    @Test("an image continues to load after all items but one have left")
    func oneItemOfMany() async {
        let controller = controller { _ in "a" }
        controller.update(visible: 0..<1, of: 4, at: .zero)
        await fixture.transport.waitForSends(1)
        controller.update(visible: 3..<4, of: 4, at: .seconds(1))
        #expect(controller.items == 3..<4)
        gate.open()
        await becomesTrue { !fixture.memory.images.isEmpty }
        #expect(cancelled.isEmpty)
    }

    @Test("an image is cancelled with the last item that shows it")
    func sameImageForNobody() async {
        let controller = await scrolledToTwin()
        controller.update(visible: 0..<0, of: 4, at: .seconds(2))
        await fixture.transport.waitForCancellations(3)
        #expect(cancelled == ["a", "b", "c"])
        gate.open()
    }

    @Test("cancels everything when no item is visible, and on reset")
    func stops() async {
        let controller = controller()
        controller.update(visible: 0..<2, of: 100, at: .zero)
        await fixture.transport.waitForSends(5)
        controller.update(visible: 0..<0, of: 100, at: .seconds(1))
        await fixture.transport.waitForCancellations(5)
        controller.update(visible: 0..<2, of: 100, at: .seconds(2))
        await fixture.transport.waitForSends(10)
        controller.reset()
        await fixture.transport.waitForCancellations(10)
        #expect(controller.items.isEmpty)
        gate.open()
    }
}
