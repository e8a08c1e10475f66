import ImageCore
import Synchronization

/// Keeps the books about what goes into a scheduler and what it starts.
final class MonitoredScheduler: WorkScheduler {
    private let base: any WorkScheduler
    private let world: World

    init(_ base: any WorkScheduler, world: World) {
        self.base = base
        self.world = world
    }

    func enqueue(_ work: ScheduledWork) -> WorkID {
        let box = NameBox()
        var monitored = work
        monitored.run = { [world] in
            let wrong = world.note { state in
                if let id = box.id { state.books.previewBegan(id) }
                return state.lanes.began(box.id, in: work.lane, host: work.host)
            }
            if let wrong { world.complain(wrong) }
            await work.run()
            world.note { state in
                state.lanes.ended(in: work.lane, host: work.host)
                if let id = box.id { state.books.dequeued(id) }
            }
        }
        let id = base.enqueue(monitored)
        box.id = id
        // Nothing but previews is enqueued where progress is told, or in a lane.
        world.note { state in
            if let run = Surroundings.run {
                state.books.enqueued(id, by: run, work.priority)
            } else {
                state.books.previewEnqueued(id)
            }
        }
        return id
    }

    func reserve(_ place: WorkPlace, onGrant: @escaping @Sendable () -> Void) -> Reservation {
        let box = NameBox()
        let reservation = base.reserve(place) {
            self.began(place, box)
            onGrant()
        }
        box.id = reservation.id
        if reservation.isGranted {
            began(place, box)
        } else if let run = Surroundings.run {
            world.note { $0.books.enqueued(reservation.id, by: run, place.priority) }
        }
        return Reservation(
            id: reservation.id, isGranted: reservation.isGranted, executor: reservation.executor
        ) { [world] in
            if box.isRunning { world.note { $0.lanes.ended(in: place.lane, host: place.host) } }
            box.isRunning = false
            reservation.release()
        }
    }

    private func began(_ place: WorkPlace, _ box: NameBox) {
        box.isRunning = true
        let wrong = world.note { state in
            if let id = box.id { state.books.dequeued(id) }
            return state.lanes.began(box.id, in: place.lane, host: place.host)
        }
        if let wrong { world.complain(wrong) }
    }

    func setPriority(_ priority: RequestPriority, of id: WorkID) {
        world.note { $0.books.reprioritised(id, priority) }
        base.setPriority(priority, of: id)
    }

    func cancel(_ id: WorkID) -> Bool {
        guard base.cancel(id) else {
            world.note { $0.books.previewBegan(id) }  // or is about to
            return false
        }
        world.note { state in
            state.books.dequeued(id)
            state.lanes.cancelled(id)
        }
        return true
    }
}

/// The name of work, which is known only after it was enqueued, and whether it runs.
private final class NameBox: Sendable {
    private let name = Mutex<WorkID?>(nil)
    private let running = Mutex(false)

    var isRunning: Bool {
        get { running.withLock { $0 } }
        set { running.withLock { $0 = newValue } }
    }

    var id: WorkID? {
        get { name.withLock { $0 } }
        set { name.withLock { $0 = newValue } }
    }
}
