import Dispatch
import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import Testing

@testable import ImageTesting

@MainActor
@Suite("View bindings", .timeLimit(.minutes(10)))
struct ViewBindingTests {
    private let fixture = LoaderTestBed()
    private let surface = RecordingSurface()

    private var hiddenLoadsNothing: ImageBinding.Options {
        var options = ImageBinding.Options()
        options.loadsBeforeVisible = false
        return options
    }

    @Test("applies the visibility to a binding that is created later")
    func visibility() async {
        let (binding, gate) = (ViewBinding(surface: surface), TestGate())
        binding.isVisible = false
        binding.bind(fixture.request("a", behind: gate), with: fixture.loader, options: hiddenLoadsNothing)
        #expect(!surface.rendered.contains("loading empty"))
        binding.isVisible = true
        await gate.waitForArrivals(1)
        let other = ViewBinding(surface: surface)
        other.bind(fixture.request("b", behind: gate), with: fixture.loader, options: hiddenLoadsNothing)
        await gate.waitForArrivals(2)
        other.unbind()
        await fixture.transport.waitForCancellations(1)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
    }

    @Test("a new loader replaces the previous one and cancels its request")
    func anotherLoader() async {
        let (binding, gate, second) = (ViewBinding(surface: surface), TestGate(), LoaderTestBed())
        binding.bind(fixture.request("a", behind: gate), with: fixture.loader, options: ImageBinding.Options())
        await gate.waitForArrivals(1)
        binding.bind(second.request("b", width: 7), with: second.loader, options: ImageBinding.Options())
        await fixture.transport.waitForCancellations(1)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(surface.last.image?.bitmap.size.width == 7)
    }

    @Test("changed options have an effect on the next image, and images are prepared outside of the main actor")
    func changedOptions() async {
        let prepared = MessageLog<Int>()
        let binding = ViewBinding(surface: surface) { bitmap in
            dispatchPrecondition(condition: .notOnQueue(.main))
            prepared.append(bitmap.size.width)
        }
        binding.bind(fixture.request("a"), with: fixture.loader, options: ImageBinding.Options())
        await surface.ends { $0.phase.isSuccess }
        #expect(surface.last.transition == .immediate)
        let options = ImageBinding.Options(transition: .fadeIn(.seconds(1)))
        binding.bind(fixture.request("b", width: 5), with: fixture.loader, options: options)
        await surface.ends { $0.phase.isSuccess }
        #expect(surface.last.transition == .fadeIn(.seconds(1)))
        #expect(prepared.messages == [4, 5])
    }

    @Test("loads at the size of the view, again when it has grown, and nothing without a size or a request")
    func sizes() async {
        let (binding, request) = (ViewBinding(surface: surface), fixture.request("a", width: 60))
        func space(_ side: Double) -> ViewSpace { ViewSpace(points: (side, side), scale: 1, mode: .fit) }
        func load(_ request: ImageRequest?, _ side: Double) {
            binding.load(request, with: fixture.loader, options: ImageBinding.Options(), in: space(side))
        }
        load(request, 0)
        #expect(surface.rendered.isEmpty)
        load(request, 20)
        for (side, sendCount) in [(20.0, 1), (40, 2)] {
            binding.layOut(in: space(side))
            await surface.ends { $0.phase.isSuccess }
            #expect(fixture.transport.sendCount == sendCount)
        }
        load(fixture.request("b"), 0)
        #expect(surface.last.phase.isIdle)
        load(request, 40)
        load(nil, 40)
        binding.layOut(in: space(80))
        #expect(surface.last.phase.isIdle)
    }

    @Test("a layout loads nothing after a failure or for a view that was cleared, and retry loads again")
    func layouts() async {
        let binding = ViewBinding(surface: surface)
        func space(_ side: Double) -> ViewSpace { ViewSpace(points: (side, side), scale: 1, mode: .fit) }
        binding.load(fixture.failing(), with: fixture.loader, options: ImageBinding.Options(), in: space(20))
        await surface.ends { $0.phase.isFailure }
        binding.layOut(in: space(20))
        #expect(surface.last.phase.isFailure)
        binding.retry()
        await surface.ends { $0.phase.isSuccess }
        binding.unbind()
        binding.layOut(in: space(80))
        #expect(surface.last.phase.isIdle)
    }

    @Test("the clock of a view plays what it shows, also with another loader")
    func clocks() async {
        let (clock, binding) = (AnimationClock { _ in }, ViewBinding(surface: surface))
        let request = ImageRequest(.data(Data(), name: "a"))
        for number in 0..<2 {
            let loader = FakeImageLoader()
            let sizes = (1...2).map { PixelSize(width: $0, height: 1) }
            loader.script(.animation(sizes, delay: .seconds(1)), for: request)
            binding.bind(request, with: loader, options: ImageBinding.Options())
            #expect(!clock.isRunning)
            await surface.ends { $0.kind == .final }
            if number == 0 { binding.clock = clock }
            #expect(clock.isRunning)
        }
        let other = AnimationClock { _ in }
        binding.clock = other
        #expect(!clock.isRunning && other.isRunning)
    }

    @Test("cancels the requests that were started, even if the list has changed")
    func cancelsPrefetches() async {
        let gate = TestGate()
        let names = Watched(["a", "b"])
        let prefetcher = ImagePrefetcher(loader: fixture.loader)
        let prefetches = PendingPrefetches<Int>(prefetcher: prefetcher) { [fixture] in
            names.value.indices.contains($0) ? fixture.request(names.value[$0], behind: gate) : nil
        }
        prefetches.start([0, 1, 2])
        await fixture.transport.waitForSends(2)
        names.change { $0 = ["c", "d"] }
        prefetches.cancel([0])
        await fixture.transport.waitForCancellations(1)
        #expect(
            fixture.transport.messages.contains {
                if case .cancelled(let url) = $0 { url.path.hasSuffix("a") } else { false }
            })
        gate.open()
        await becomesTrue { !fixture.memory.images.isEmpty }
        await prefetcher.waitUntilFinished()
        // An idle prefetcher has no requests to cancel.
        prefetches.start([])
        let started = Mirror(reflecting: prefetches).descendant("started") as? [Int: ImageRequest]
        #expect(started?.isEmpty == true)
    }
}
