import Synchronization

/// Reuses the memory of released images, because fresh memory from the system costs a decoder up to a third of its time.
///
/// Pass one to a decoder. Images return their memory when their last copy is released. Thread-safe.
public final class PixelBufferPool: Sendable {
    /// The maximum size of idle memory in bytes.
    public let byteLimit: Int
    private let buffers = Mutex(IdleBuffers())

    /// - Parameter byteLimit: The maximum size of idle memory in bytes; 0 for none.
    public init(byteLimit: Int) { self.byteLimit = max(0, byteLimit) }

    /// The size of idle memory in bytes.
    public var idleByteCount: Int { buffers.withLock { $0.byteCount } }

    /// Returns an empty array with a capacity of `byteCount` bytes, or slightly more.
    public func take(byteCount: Int) -> [UInt8] {
        var buffer = buffers.withLock { $0.take(byteCount: byteCount) } ?? []
        buffer.removeAll(keepingCapacity: true)
        buffer.reserveCapacity(byteCount)
        return buffer
    }

    /// Returns an array of `byteCount` bytes with arbitrary values. Write each byte before you read it.
    public func takeFilled(byteCount: Int) -> [UInt8] {
        guard var buffer = buffers.withLock({ $0.take(byteCount: byteCount) }) else {
            return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { $1 = byteCount }
        }
        if buffer.count > byteCount { buffer.removeLast(buffer.count - byteCount) }
        buffer.append(contentsOf: repeatElement(0, count: byteCount - buffer.count))
        return buffer
    }

    /// Takes the memory of a buffer, unless it exceeds the limit by itself. Frees the memory that has been idle for longest.
    public func give(_ buffer: [UInt8]) {
        guard buffer.capacity >= IdleBuffers.smallest else { return }
        // Released outside of the lock.
        let released = buffers.withLock { $0.give(buffer, limit: byteLimit) }
        _ = consume released
    }

    /// Frees all idle memory.
    public func removeAll() {
        let released = buffers.withLock { buffers in
            let all = buffers
            buffers = IdleBuffers()
            return all
        }
        _ = consume released
    }
}

/// Idle memory, the longest idle first.
private struct IdleBuffers {
    /// Smaller ones are not worth keeping: `malloc` has them at hand.
    static let smallest = 128 << 10

    private var idle: [[UInt8]] = []
    private(set) var byteCount = 0

    /// The smallest one that is large enough, unless an eighth of it would be wasted.
    mutating func take(byteCount wanted: Int) -> [UInt8]? {
        let fitting = idle.indices.filter { idle[$0].capacity >= wanted && idle[$0].capacity - wanted <= wanted / 8 }
        guard let best = fitting.min(by: { idle[$0].capacity < idle[$1].capacity }) else { return nil }
        byteCount -= idle[best].capacity
        return idle.remove(at: best)
    }

    /// Returns what had to go.
    mutating func give(_ buffer: [UInt8], limit: Int) -> [[UInt8]] {
        guard buffer.capacity <= limit else { return [buffer] }
        var released: [[UInt8]] = []
        while byteCount + buffer.capacity > limit {
            byteCount -= idle[0].capacity
            released.append(idle.removeFirst())
        }
        byteCount += buffer.capacity
        idle.append(buffer)
        return released
    }
}
