import HTTPTypes
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTransporting
import Testing

@testable import ImageTesting

@MainActor
@Suite("Visibility", .timeLimit(.minutes(10)))
struct VisibilityTests {
    private let fixture = LoaderTestBed()
    private let surface = RecordingSurface()

    private var rendered: [String] { surface.rendered }

    @Test("an invisible binding has a low priority, and that of the request while visible")
    func priority() async {
        let scheduler = ManualScheduler()
        let fixture = LoaderTestBed(scheduler: scheduler)
        let binding = fixture.binding(on: surface)
        binding.isVisible = false
        binding.bind(fixture.request("a") { $0.priority = .high })
        await scheduler.waitForArrivals(1)
        #expect(scheduler.priorities == [.low])
        binding.isVisible = true
        binding.isVisible = true
        #expect(scheduler.priorities == [.low, .high])
        binding.isVisible = false
        #expect(scheduler.priorities == [.low, .high, .low])
        #expect(surface.rendered == ["loading empty"])
    }

    @Test("a new binding is visible: it starts at the priority of the request, and keeps a lower one when hidden")
    func visibleFirst() async {
        let scheduler = ManualScheduler()
        let fixture = LoaderTestBed(scheduler: scheduler)
        let binding = fixture.binding(on: surface) { $0.loadsBeforeVisible = false }
        #expect(binding.isVisible)
        binding.bind(fixture.request("a") { $0.priority = .veryLow })
        await scheduler.waitForArrivals(1)
        #expect(scheduler.priorities == [.veryLow])
        let hidden = fixture.binding(on: surface)
        hidden.isVisible = false
        hidden.bind(fixture.request("b") { $0.priority = .veryLow })
        await scheduler.waitForArrivals(2)
        #expect(scheduler.priorities.allSatisfy { $0 == .veryLow })
    }

    @Test("a surface may become visible while it renders")
    func visibleInRender() async {
        let scheduler = ManualScheduler()
        let fixture = LoaderTestBed(scheduler: scheduler)
        let binding = fixture.binding(on: surface)
        binding.isVisible = false
        surface.onRender = { [weak binding] _ in binding?.isVisible = true }
        binding.bind(fixture.request("a") { $0.priority = .high })
        await scheduler.waitForArrivals(1)
        #expect(scheduler.priorities == [.high])
    }

    @Test("without loadsBeforeVisible, hiding cancels and showing loads again")
    func loadsWhenVisible() async {
        let gate = TestGate()
        let binding = fixture.binding(on: surface) { $0.loadsBeforeVisible = false }
        binding.isVisible = false
        binding.bind(fixture.request("a", behind: gate) { $0.placeholder = .image(LoaderTestBed.image(width: 9)) })
        #expect(rendered == ["idle placeholder 9"])
        binding.isVisible = true
        await gate.waitForArrivals(1)
        binding.isVisible = false
        #expect(rendered == ["idle placeholder 9", "loading placeholder 9", "idle placeholder 9"])
        await fixture.transport.waitForCancellations(1)
        gate.open()
        binding.isVisible = true
        await surface.ends { $0.phase.isSuccess }
        #expect(fixture.transport.sendCount == 2)
    }

    @Test(
        "releasesHiddenImage releases a hidden image, and takes it from memory when visible again"
    )
    func releases() async throws {
        let request = fixture.request("a")
        try await fixture.warm(request)
        let binding = fixture.binding(on: surface) {
            $0.releasesHiddenImage = true
            $0.keepsOldImage = true
        }
        binding.isVisible = true
        binding.bind(request)
        binding.isVisible = false
        #expect(binding.appearance.image == nil)
        binding.isVisible = true
        #expect(rendered == ["success(memory) final 4", "idle empty", "success(memory) final 4"])
    }

    @Test("releasesHiddenImage shows the placeholder only while the surface is visible")
    func placeholderWhileVisible() {
        let gate = TestGate()
        let binding = fixture.binding(on: surface) {
            $0.releasesHiddenImage = true
            $0.loadsBeforeVisible = false
        }
        binding.isVisible = false
        binding.bind(fixture.request("a", behind: gate) { $0.placeholder = .image(LoaderTestBed.image(width: 9)) })
        binding.isVisible = true
        binding.isVisible = false
        #expect(rendered == ["idle empty", "loading placeholder 9", "idle empty"])
        gate.open()
    }

    @Test("releasesHiddenImage keeps an image loaded while hidden only in memory, and shows it when visible")
    func comesHidden() async {
        let binding = fixture.binding(on: surface) {
            $0.releasesHiddenImage = true
            $0.keepsOldImage = true
        }
        binding.isVisible = false
        let preview = fixture.request("small", width: 2)
        binding.bind(fixture.request("a") { $0.lowQuality = [preview] })
        await surface.ends { $0.phase.isIdle }
        #expect(rendered.allSatisfy { $0.hasSuffix(" empty") })
        binding.isVisible = true
        #expect(rendered.last == "success(memory) final 4")
    }

    @Test("visibility changes nothing without a request and after a failure")
    func nothingToDo() async {
        let binding = fixture.binding(on: surface) { $0.loadsBeforeVisible = false }
        binding.isVisible = true
        binding.bind(fixture.request("a", [.status(.notFound)]))
        await surface.ends { $0.phase.isFailure }
        let count = rendered.count
        binding.isVisible = false
        binding.isVisible = true
        #expect(rendered.count == count)
        #expect(fixture.transport.sendCount == 1)
    }
}

extension ManualScheduler {
    /// The successive priorities of the first work.
    fileprivate var priorities: [RequestPriority] {
        var all: [RequestPriority] = []
        for message in messages {
            let priority: RequestPriority? =
                switch message {
                case .enqueued(_, _, let priority, _), .reprioritized(_, let priority): priority
                default: nil
                }
            if let priority, priority != all.last { all.append(priority) }
        }
        return all
    }
}
