import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import ImageScheduling
import ImageTesting
import ImageTransporting
import Testing

@MainActor
@Suite("Priority of visible cells", .timeLimit(.minutes(10)))
struct UrgencyTests {
    private let scheduler = PriorityScheduler(lanes: [.download: LaneConfiguration(limit: 2)])
    private let fixture: LoaderTestBed
    private let gates = [Gate(), Gate()]

    init() { fixture = LoaderTestBed(scheduler: scheduler) }

    private var sent: [String] { fixture.transport.requests.map(\.url.lastPathComponent) }

    /// Waits until the given number of downloads wait for a slot.
    private func waiting(_ count: Int) async {
        while scheduler.waitingCount < count { await Task.yield() }
    }

    /// Creates bindings of invisible cells: two that are loading, each behind a gate, and eighteen that wait.
    private func offScreen(on surfaces: [RecordingSurface]) async -> [ImageBinding] {
        var bindings: [ImageBinding] = []
        for (number, surface) in surfaces.enumerated() {
            let binding = fixture.binding(on: surface)
            bindings.append(binding)
            binding.setVisible(false)
            let gate = gates.indices.contains(number) ? gates[number] : nil
            binding.bind(fixture.request("off \(number)", behind: gate) { $0.priority = .high })
            if number == 1 { await fixture.transport.sends(2) }
        }
        await waiting(18)
        return bindings
    }

    @Test("loads the image of a visible cell before those of waiting invisible cells")
    func lastComesFirst() async {
        let surfaces = (0..<20).map { _ in RecordingSurface() }
        let bindings = await offScreen(on: surfaces)
        let seen = RecordingSurface()
        let binding = fixture.binding(on: seen)
        binding.setVisible(true)
        binding.bind(fixture.request("on") { $0.priority = .high })
        await waiting(19)
        gates[0].open()
        await fixture.transport.sends(3)
        #expect(sent[2] == "on")
        gates[1].open()
        await fixture.transport.sends(21)
        withExtendedLifetime((bindings, binding)) {}
    }

    @Test("loads a waiting image next when its cell becomes visible")
    func scrolledIn() async {
        let surfaces = (0..<20).map { _ in RecordingSurface() }
        let bindings = await offScreen(on: surfaces)
        bindings[19].setVisible(true)
        gates[0].open()
        await fixture.transport.sends(3)
        #expect(sent[2] == "off 19")
        gates[1].open()
        await fixture.transport.sends(20)
    }
}
