import ImageContractTesting
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of MemoryPressureMonitor")
struct MemoryPressureMonitorContractTests {
    typealias Rule = ContractRule<MemoryPressureMonitorContract.Subject>

    @Test("the fake passes", arguments: MemoryPressureMonitorContract.rules)
    func fake(_ rule: Rule) async throws {
        try await rule.check {
            let monitor = FakeMemoryPressureMonitor()
            return MemoryPressureFixture(monitor: monitor) { monitor.report($0) }
        }
    }

    @Test("each rule fails for a monitor that breaks it", arguments: BrokenMemoryPressureMonitor.Defect.allCases)
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

/// A fake that breaks one rule, which is the raw value of its defect.
final class BrokenMemoryPressureMonitor: MemoryPressureMonitor {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case startsWithWarning = "the level is normal until the system reports another one"
        case reportsHighestLevel = "the level is the one that was reported last"
        case keepsOneHandler = "every handler receives every report, in order"
        case reportsOnlyChanges = "lasting pressure is reported again"
        case repeatsNormal = "a normal level is reported once, when the pressure ends"
        case ignoresCancellation = "a cancelled observation receives nothing more, and the others still do"
        case keepsHandlers = "a released observation receives nothing more"
        case updatesLate = "a handler can read the monitor, observe it and cancel an observation"

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
        case .startsWithWarning: return levels.last ?? .warning
        case .reportsHighestLevel: return levels.max() ?? .normal
        default: return levels.last ?? .normal
        }
    }

    func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
        let id = state.withLock { state in
            if defect == .keepsOneHandler { state.handlers = [:] }
            state.nextID += 1
            state.handlers[state.nextID] = handler
            return state.nextID
        }
        return MemoryPressureObservation { [defect, weak self] in
            if defect == .ignoresCancellation || defect == .keepsHandlers { return }
            self?.remove(id)
        }
    }

    func report(_ level: MemoryPressureLevel) {
        let previous = self.level
        if defect != .updatesLate { state.withLock { $0.levels.append(level) } }
        let isSilent =
            level == previous && (level == .normal ? defect != .repeatsNormal : defect == .reportsOnlyChanges)
        if !isSilent {
            for (_, handler) in state.withLock({ $0.handlers.sorted { $0.key < $1.key } }) { handler(level) }
        }
        if defect == .updatesLate { state.withLock { $0.levels.append(level) } }
    }

    private func remove(_ id: Int) { state.withLock { $0.handlers[id] = nil } }
}
