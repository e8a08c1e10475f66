import HTTPTypes
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import ImageTransporting
import LoaderTestBed
import Testing

@MainActor
@Suite("Visibility", .timeLimit(.minutes(10)))
struct VisibilityTests {
    private let fixture = LoaderTestBed()
    private let surface = RecordingSurface()

    private var rendered: [String] { surface.rendered }

    @Test("what is bound and not visible has a low priority, and the request's while it is visible")
    func priority() async {
        let scheduler = ManualScheduler()
        let fixture = LoaderTestBed(scheduler: scheduler)
        let binding = fixture.binding(on: surface)
        binding.bind(fixture.request("a") { $0.priority = .high })
        await scheduler.arrivals(1)
        #expect(scheduler.priorities == [.low])
        binding.setVisible(true)
        binding.setVisible(true)
        #expect(scheduler.priorities == [.low, .high])
        binding.setVisible(false)
        #expect(scheduler.priorities == [.low, .high, .low])
        #expect(surface.rendered == ["loading none"])
    }

    @Test("what is bound while it is visible begins at the request's priority, and keeps a lower one when hidden")
    func visibleFirst() async {
        let scheduler = ManualScheduler()
        let fixture = LoaderTestBed(scheduler: scheduler)
        let binding = fixture.binding(on: surface)
        binding.setVisible(true)
        binding.bind(fixture.request("a") { $0.priority = .veryLow })
        await scheduler.arrivals(1)
        binding.setVisible(false)
        #expect(scheduler.priorities.allSatisfy { $0 == .veryLow })
    }

    @Test("a surface may become visible while it renders")
    func visibleInRender() async {
        let scheduler = ManualScheduler()
        let fixture = LoaderTestBed(scheduler: scheduler)
        let binding = fixture.binding(on: surface)
        surface.onRender = { [weak binding] _ in binding?.setVisible(true) }
        binding.bind(fixture.request("a") { $0.priority = .high })
        await scheduler.arrivals(1)
        #expect(scheduler.priorities == [.high])
    }

    @Test("an equal request at another priority moves what is under way")
    func rebindingMoves() async {
        let scheduler = ManualScheduler()
        let fixture = LoaderTestBed(scheduler: scheduler)
        let binding = fixture.binding(on: surface)
        binding.setVisible(true)
        binding.bind(fixture.request("a") { $0.priority = .normal })
        await scheduler.arrivals(1)
        binding.bind(fixture.request("a") { $0.priority = .veryHigh })
        #expect(scheduler.priorities == [.normal, .veryHigh])
    }

    @Test("where nothing is loaded before it is visible, hiding cancels and showing begins again")
    func loadsWhenVisible() async {
        let gate = Gate()
        let binding = fixture.binding(on: surface) { $0.loadsBeforeVisible = false }
        binding.bind(fixture.request("a", behind: gate) { $0.options[.placeholder] = LoaderTestBed.image(width: 9) })
        #expect(rendered == ["idle placeholder 9"])
        binding.setVisible(true)
        await gate.arrivals(1)
        binding.setVisible(false)
        #expect(rendered == ["idle placeholder 9", "loading placeholder 9", "idle placeholder 9"])
        await fixture.transport.cancellations(1)
        gate.open()
        binding.setVisible(true)
        await surface.ends { $0.phase.isSuccess }
        #expect(fixture.transport.sendCount == 2)
    }

    @Test(
        "a hidden image is let go where that is asked for, and taken from memory in the turn in which it is visible again"
    )
    func releases() async throws {
        let request = fixture.request("a")
        try await fixture.warm(request)
        let binding = fixture.binding(on: surface) {
            $0.releasesHiddenImage = true
            $0.keepsOldImage = true
        }
        binding.setVisible(true)
        binding.bind(request)
        binding.setVisible(false)
        #expect(binding.appearance.image == nil)
        binding.setVisible(true)
        #expect(rendered == ["success(memory) final 4", "idle none", "success(memory) final 4"])
    }

    @Test("what comes while it is hidden is in memory and nowhere else, and shown in the turn in which it is visible")
    func comesHidden() async {
        let binding = fixture.binding(on: surface) {
            $0.releasesHiddenImage = true
            $0.keepsOldImage = true
        }
        let lesser = fixture.request("small", width: 2)
        binding.bind(fixture.request("a") { $0.lowQuality = [lesser] })
        await surface.ends { $0.phase.isIdle }
        #expect(rendered.allSatisfy { $0.hasSuffix(" none") })
        binding.setVisible(true)
        #expect(rendered.last == "success(memory) final 4")
    }

    @Test("a hidden image stays where nothing else is asked for")
    func keeps() async throws {
        let request = fixture.request("a")
        try await fixture.warm(request)
        let binding = fixture.binding(on: surface)
        binding.setVisible(true)
        binding.bind(request)
        binding.setVisible(false)
        binding.setVisible(true)
        #expect(rendered == ["success(memory) final 4"])
    }

    @Test("visibility without a request, and after a failure, changes nothing")
    func nothingToDo() async {
        let binding = fixture.binding(on: surface) { $0.loadsBeforeVisible = false }
        binding.setVisible(true)
        binding.bind(fixture.request("a", [.status(.notFound)]))
        await surface.ends { $0.phase.isFailure }
        let count = rendered.count
        binding.setVisible(false)
        binding.setVisible(true)
        #expect(rendered.count == count)
        #expect(fixture.transport.sendCount == 1)
    }
}

extension ManualScheduler {
    /// At which priorities the first work was, one after the other.
    fileprivate var priorities: [RequestPriority] {
        var all: [RequestPriority] = []
        for message in messages {
            let priority: RequestPriority? =
                switch message {
                case .enqueued(_, _, let priority, _), .reprioritised(_, let priority): priority
                default: nil
                }
            if let priority, priority != all.last { all.append(priority) }
        }
        return all
    }
}
