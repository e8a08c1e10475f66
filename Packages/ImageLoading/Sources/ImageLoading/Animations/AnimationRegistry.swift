import ImageCore
import Synchronization

/// The animations that are shown, by image. It holds them weakly, and divides the memory for frames among them.
///
/// A reference that is read under the lock is returned from it: the last one must not be released under the lock,
/// because an animation that is deallocated takes it.
final class AnimationRegistry: Sendable {
    private struct Entry: Sendable {
        weak var animation: SharedAnimation?
    }

    private struct State: Sendable {
        var entries: [ImageCacheKey: Entry] = [:]
        var isMemoryShort = false
    }

    private let byteLimit: Int
    private let state = Mutex(State())

    /// - Parameter byteLimit: The size of all frames of all animations, in bytes. Each animation has at least one frame.
    init(byteLimit: Int) { self.byteLimit = max(0, byteLimit) }

    /// The maximum size of the frames of an animation. 0 while memory is short.
    var byteLimitPerAnimation: Int {
        state.withLock { $0.isMemoryShort ? 0 : byteLimit / max(1, $0.entries.count) }
    }

    /// Returns the animation for a key if there is one.
    func animation(for key: ImageCacheKey) -> SharedAnimation? { state.withLock { $0.entries[key]?.animation } }

    /// Returns the animation for a key if it has the same original. Otherwise stores and returns the new one.
    func animation(for key: ImageCacheKey, orNew new: SharedAnimation) -> SharedAnimation {
        var current = animation(for: key)
        while current?.data != new.data { current = store(new, for: key, replacing: current) }
        trimAll()
        return current ?? new
    }

    /// Stores an animation, unless there is another one than expected. Returns the one that is stored now.
    private func store(
        _ new: SharedAnimation, for key: ImageCacheKey, replacing expected: SharedAnimation?
    ) -> SharedAnimation {
        state.withLock { state in
            if let stored = state.entries[key]?.animation, stored !== expected { return stored }
            state.entries[key] = Entry(animation: new)
            return new
        }
    }

    /// Removes the entry for an animation that was deallocated, unless there is a newer one.
    func remove(_ key: ImageCacheKey) {
        let newer = state.withLock { state in
            let newer = state.entries[key]?.animation
            if newer == nil { state.entries[key] = nil }
            return newer
        }
        _ = consume newer
    }

    /// While memory is short, each animation has one frame.
    func memoryChanged(to level: MemoryPressureLevel) {
        state.withLock { $0.isMemoryShort = level >= .warning }
        trimAll()
    }

    private func trimAll() {
        let animations = state.withLock { $0.entries.values.compactMap(\.animation) }
        for animation in animations { animation.trim() }
    }
}
