import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import ImageScheduling
import ImageTesting
import ImageTransporting
import StagedLoader
import Testing

@MainActor
@Suite("Cells on the screen before those off it", .timeLimit(.minutes(10)))
struct UrgencyTests {
    private let scheduler = NotedScheduler()
    private let stage: StagedLoader
    private let gates = [Gate(), Gate()]

    init() { stage = StagedLoader(scheduler: scheduler) }

    private var sent: [String] { stage.transport.requests.map(\.url.lastPathComponent) }

    /// Bindings of cells off the screen: two that are loading, behind a gate each, and eighteen that wait.
    private func offScreen(on surfaces: [RecordingSurface]) async -> [ImageBinding] {
        let bindings = surfaces.enumerated().map { number, surface in
            let binding = stage.binding(on: surface)
            let gate = gates.indices.contains(number) ? gates[number] : nil
            binding.bind(stage.request("off \(number)", behind: gate) { $0.priority = .high })
            return binding
        }
        await scheduler.log.reaches(20)
        await stage.transport.sends(2)
        return bindings
    }

    @Test("what a cell on the screen waits for is next, however much waits for cells off the screen")
    func lastComesFirst() async {
        let surfaces = (0..<20).map { _ in RecordingSurface() }
        let bindings = await offScreen(on: surfaces)
        let seen = RecordingSurface()
        let binding = stage.binding(on: seen)
        binding.setVisible(true)
        binding.bind(stage.request("on") { $0.priority = .high })
        await scheduler.log.reaches(21)
        gates[0].open()
        await stage.transport.sends(3)
        #expect(sent[2] == "on")
        gates[1].open()
        await stage.transport.sends(21)
        withExtendedLifetime((bindings, binding)) {}
    }

    @Test("a cell that comes onto the screen while its picture waits is next")
    func scrolledIn() async {
        let surfaces = (0..<20).map { _ in RecordingSurface() }
        let bindings = await offScreen(on: surfaces)
        bindings[19].setVisible(true)
        // A download that has only just joined the lane passes the change on a moment later.
        await scheduler.raised.reaches(1)
        gates[0].open()
        await stage.transport.sends(3)
        #expect(sent[2] == "off 19")
        gates[1].open()
        await stage.transport.sends(20)
    }
}

/// Runs two downloads at once, the most urgent first, and logs what it is asked for.
private final class NotedScheduler: WorkScheduler {
    let log = MessageLog<RequestPriority>()
    /// The changes to the priority of cells on the screen.
    let raised = MessageLog<RequestPriority>()
    private let scheduler = PriorityScheduler(lanes: [.download: LaneConfiguration(limit: 2)])

    func enqueue(_ work: ScheduledWork) -> WorkID { scheduler.enqueue(work) }

    func reserve(_ place: WorkPlace, onGrant: @escaping @Sendable () -> Void) -> Reservation {
        defer { log.append(place.priority) }
        return scheduler.reserve(place, onGrant: onGrant)
    }

    func setPriority(_ priority: RequestPriority, of id: WorkID) {
        scheduler.setPriority(priority, of: id)
        if priority == .high { raised.append(priority) }
    }

    func cancel(_ id: WorkID) -> Bool { scheduler.cancel(id) }
}
