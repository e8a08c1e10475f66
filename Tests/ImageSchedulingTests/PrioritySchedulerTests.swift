import ImageCore
import ImageScheduling
import ImageTesting
import Testing

@Test("waiting work starts by priority, and in the order of arrival within one priority")
func startsByPriority() async {
    let scheduler = PriorityScheduler(lanes: [.download: LaneConfiguration(limit: 1)])
    let log = StartLog()
    let gate = Gate()
    _ = scheduler.enqueue(ScheduledWork(lane: .download) { await gate.pass() })
    for (name, priority) in [("low", RequestPriority.low), ("first", .normal), ("second", .normal), ("high", .high)] {
        _ = scheduler.enqueue(ScheduledWork(lane: .download, priority: priority) { log.append(name) })
    }
    gate.open()
    await log.reaches(4)
    #expect(log.names == ["high", "first", "second", "low"])
}
