internal import GtkImageUI

/// Measures how long a task on another thread waits for the main actor.
final class MainActorLatency {
    private(set) var values: [Duration] = []
    private var task: Task<Void, Never>?

    private static let pause = Duration.milliseconds(20)

    func start() {
        task = Task.detached { [weak self] in
            while !Task.isCancelled {
                // The loop ends when the task is cancelled.
                try? await Task.sleep(for: Self.pause)
                let start = monotonicTime()
                await self?.record(since: start)
            }
        }
    }

    func stop() { task?.cancel() }

    private func record(since start: Duration) { values.append(monotonicTime() - start) }
}
