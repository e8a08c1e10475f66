import ImageCore
import Synchronization

/// A scheduler with a planted bug.
final class FaultyScheduler: WorkScheduler {
    private let base: any WorkScheduler
    private let bug: PlantedBug

    init(_ base: any WorkScheduler, _ bug: PlantedBug) { (self.base, self.bug) = (base, bug) }

    func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        switch bug {
        case .runsCancelledWork: return try await runEvenIfCancelled(in: lane, server: server, priority: priority, work)
        case .ordersByFirstPriority:
            return try await base.run(in: lane, server: server, priority: LivePriority(priority.value), work)
        case .ignoresLimits:
            try Task.checkCancellation()
            return try await work { _ in }
        default: return try await base.run(in: lane, server: server, priority: priority, work)
        }
    }

    private func runEvenIfCancelled<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value {
        let hasStarted = Atomic(false)
        do {
            return try await base.run(in: lane, server: server, priority: priority) { moved in
                hasStarted.store(true, ordering: .relaxed)
                return try await work(moved)
            }
        } catch {
            if hasStarted.load(ordering: .relaxed) { throw error }
            return try await work { _ in }
        }
    }
}

/// A cache with a planted bug: it ignores processors when it compares keys.
struct ProcessorBlindCache: ImageCache {
    let base: any ImageCache

    func image(for key: ImageCacheKey) -> DecodedImage? { base.image(for: key.withoutProcessors) }
    func insert(_ image: DecodedImage, for key: ImageCacheKey, retention: MemoryRetention) {
        base.insert(image, for: key.withoutProcessors, retention: retention)
    }
    func remove(for key: ImageCacheKey) { base.remove(for: key.withoutProcessors) }
    func removeAll() { base.removeAll() }
    func removeAll(where isUnwanted: (ImageCacheKey, Duration?) -> Bool) { base.removeAll(where: isUnwanted) }
}

extension ImageCacheKey {
    fileprivate var withoutProcessors: ImageCacheKey {
        ImageCacheKey(identifier: identifier, target: target, color: color)
    }
}
