internal import GtkImageUI

/// How long a task of another thread waits until the main actor takes it up.
final class MainActorLatency {
    private(set) var waits: [Duration] = []
    private var task: Task<Void, Never>?

    private static let pause = Duration.milliseconds(20)

    func start() {
        task = Task.detached { [weak self] in
            while !Task.isCancelled {
                // Cancelled means that nobody wants to know any more.
                try? await Task.sleep(for: Self.pause)
                let start = monotonicTime()
                await self?.arrived(since: start)
            }
        }
    }

    func stop() { task?.cancel() }

    private func arrived(since start: Duration) { waits.append(monotonicTime() - start) }
}
