import ImageContractTesting
import ImageCore
import ImageTesting
import Synchronization
import Testing

@Suite("The contract of ConditionMonitor")
struct ConditionMonitorContractTests {
    typealias Rule = ContractRule<ConditionMonitorContract.Subject<Connectivity>>

    static let rules = ConditionMonitorContract.rules(first: Connectivity.online, second: .offline)

    @Test("the settable monitor passes", arguments: rules)
    func settable(_ rule: Rule) async throws {
        try await rule.check {
            let monitor = SettableConditionMonitor(Connectivity.online)
            return ConditionFixture(monitor: monitor) { monitor.condition = $0 }
        }
    }

    @Test("each rule fails for a monitor that breaks it", arguments: BrokenConditionMonitor.Defect.allCases)
    func brokenDouble(_ defect: BrokenConditionMonitor.Defect) async throws {
        let rule = try #require(Self.rules.first { $0.name == defect.rawValue })
        await #expect(throws: ContractViolation.self) {
            try await rule.check {
                let monitor = BrokenConditionMonitor(defect)
                return ConditionFixture(monitor: monitor) { monitor.set($0) }
            }
        }
    }
}

/// A monitor that breaks one rule.
final class BrokenConditionMonitor: ConditionMonitor {
    enum Defect: String, CaseIterable, CustomTestStringConvertible {
        case neverChanges = "the condition is the current one"
        case keepsOneHandler = "every handler receives each change, in order"
        case keepsHandlers = "a cancelled or released observation receives nothing more, and the others still do"
        case losesLateObservers = "an observation that starts in a handler receives the next change"
        case updatesLate = "a handler can read the monitor, observe it and cancel an observation"

        var testDescription: String { rawValue }
    }

    private struct State: Sendable {
        var condition = Connectivity.online
        var handlers: [Int: @Sendable (Connectivity) -> Void] = [:]
        var lastID = 0
    }

    private let defect: Defect
    private let state = Mutex(State())

    init(_ defect: Defect) { self.defect = defect }

    var condition: Connectivity { defect == .neverChanges ? .online : state.withLock { $0.condition } }

    func observe(_ handler: @escaping @Sendable (Connectivity) -> Void) -> ChangeObservation {
        let id = state.withLock { state in
            if defect == .keepsOneHandler { state.handlers = [:] }
            state.lastID += 1
            state.handlers[state.lastID] = handler
            return state.lastID
        }
        return ChangeObservation { [defect, weak self] in
            if defect != .keepsHandlers { self?.remove(id) }
        }
    }

    func set(_ condition: Connectivity) {
        let isChange = state.withLock { $0.condition } != condition
        if defect != .updatesLate { state.withLock { $0.condition = condition } }
        let handlers = state.withLock { $0.handlers.sorted { $0.key < $1.key } }
        if isChange { for (_, handler) in handlers { handler(condition) } }
        if defect == .losesLateObservers {
            let known = Set(handlers.map(\.key))
            state.withLock { state in state.handlers = state.handlers.filter { known.contains($0.key) } }
        }
        state.withLock { $0.condition = condition }
    }

    private func remove(_ id: Int) {
        let removed = state.withLock { $0.handlers.removeValue(forKey: id) }
        _ = consume removed
    }
}
