import ImageContractTesting
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of MemoryPressureMonitor")
struct MemoryPressureMonitorContractTests {
    typealias Rule = ContractRule<MemoryPressureMonitorContract.Subject>

    @Test("the fake obeys", arguments: MemoryPressureMonitorContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check {
            let monitor = FakeMemoryPressureMonitor()
            return MemoryPressureFixture(monitor: monitor) { monitor.report($0) }
        }
    }

    @Test("each rule bites a monitor that breaks it", arguments: BrokenMemoryPressureMonitor.Defect.allCases)
    func brokenDouble(_ defect: BrokenMemoryPressureMonitor.Defect) async throws {
        let rule = try #require(MemoryPressureMonitorContract.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check {
                let monitor = BrokenMemoryPressureMonitor(defect)
                return MemoryPressureFixture(monitor: monitor) { monitor.report($0) }
            }
        }
    }

    @Test("there is a broken double for each rule")
    func doublesAreComplete() {
        let names = BrokenMemoryPressureMonitor.Defect.allCases.map(\.rawValue)
        #expect(Set(MemoryPressureMonitorContract.rules.map(\.name)) == Set(names))
    }
}

/// The fake, but for one promise that it breaks: the one that its defect names.
final class BrokenMemoryPressureMonitor: MemoryPressureMonitor {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case beginsAlarmed = "the level is normal until the system says otherwise"
        case remembersTheWorst = "the level is what was reported last"
        case tellsTheLastComer = "every handler is told every report, in order"
        case tellsChangesAlone = "pressure that lasts is told again"
        case tellsEveryNormal = "normal is told once, when the pressure is over"
        case tellsLeavers = "a cancelled observation is told nothing more, and the others are"
        case keepsHandlers = "an observation that is let go is told nothing more"
        case asksLate = "a handler may ask the monitor, observe and cancel"

        var testDescription: String { rawValue }
    }

    private struct State {
        var levels: [MemoryPressureLevel] = []
        var handlers: [Int: @Sendable (MemoryPressureLevel) -> Void] = [:]
        var nextID = 0
    }

    private let defect: Defect
    private let state = Mutex(State())

    init(_ defect: Defect) { self.defect = defect }

    var level: MemoryPressureLevel {
        let levels = state.withLock { $0.levels }
        switch defect {
        case .beginsAlarmed: return levels.last ?? .warning
        case .remembersTheWorst: return levels.max() ?? .normal
        default: return levels.last ?? .normal
        }
    }

    func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        let id = state.withLock { state in
            if defect == .tellsTheLastComer { state.handlers = [:] }
            state.nextID += 1
            state.handlers[state.nextID] = handler
            return state.nextID
        }
        return MemoryPressureObservation { [defect, weak self] in
            if defect == .tellsLeavers || defect == .keepsHandlers { return }
            self?.remove(id)
        }
    }

    func report(_ level: MemoryPressureLevel) {
        let previous = self.level
        if defect != .asksLate { state.withLock { $0.levels.append(level) } }
        let isSilent =
            level == previous && (level == .normal ? defect != .tellsEveryNormal : defect == .tellsChangesAlone)
        if !isSilent {
            for (_, handler) in state.withLock({ $0.handlers.sorted { $0.key < $1.key } }) { handler(level) }
        }
        if defect == .asksLate { state.withLock { $0.levels.append(level) } }
    }

    private func remove(_ id: Int) { state.withLock { $0.handlers[id] = nil } }
}
