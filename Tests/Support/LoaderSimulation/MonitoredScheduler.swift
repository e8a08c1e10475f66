import ImageCore

/// Records the waiting and running work of a scheduler.
final class MonitoredScheduler: WorkScheduler {
    private let base: any WorkScheduler
    private let context: SimulationContext

    init(_ base: any WorkScheduler, _ context: SimulationContext) { (self.base, self.context) = (base, context) }

    func run<Value: Sendable>(
        in lane: WorkLane, host: String?, priority: LivePriority, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        let id = context.update { $0.enqueued(in: lane, host: host, priority, by: TaskContext.operation) }
        defer { context.update { $0.lanes.returned(id) } }
        return try await withTaskCancellationHandler {
            try await base.run(in: lane, host: host, priority: priority) {
                context.record { $0.lanes.started(id) }
                defer { context.update { $0.lanes.ended(id) } }
                return try await work()
            }
        } onCancel: {
            context.update { $0.lanes.cancelled(id) }
        }
    }
}
