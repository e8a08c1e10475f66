import Synchronization

/// Reuses the memory of released images, because new memory from the system can take a third of a decoder's time.
///
/// Pass one to a decoder. Images return their memory when their last copy is released. A pool can be used from any
/// thread.
public final class PixelBufferPool: Sendable {
    private let byteLimit: Int
    private let buffers = Mutex(IdleBuffers())

    /// Creates an empty pool.
    ///
    /// - Parameter byteLimit: The maximum size of idle memory in bytes; 0 for none.
    public init(byteLimit: Int) { self.byteLimit = max(0, byteLimit) }

    /// The size of idle memory in bytes.
    public var idleByteCount: Int { buffers.withLock { $0.byteCount } }

    /// Returns an empty array with a capacity of `byteCount` bytes, or slightly more.
    package func take(byteCount: Int) -> [UInt8] {
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

    /// Adds a buffer to the pool, unless it exceeds the limit by itself. Frees the memory that has been idle for
    /// longest.
    package func give(_ buffer: [UInt8]) {
        guard buffer.capacity >= IdleBuffers.smallest else { return }
        // Released without the lock.
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

/// Idle buffers. The one that has been idle for longest is first.
private struct IdleBuffers {
    /// The smallest capacity that is kept. `malloc` returns smaller buffers quickly.
    static let smallest = 128 << 10

    private var idle: [[UInt8]] = []
    private(set) var byteCount = 0

    /// Removes and returns the smallest buffer that is large enough, unless more than an eighth would be wasted.
    mutating func take(byteCount wanted: Int) -> [UInt8]? {
        let fitting = idle.indices.filter { idle[$0].capacity >= wanted && idle[$0].capacity - wanted <= wanted / 8 }
        guard let best = fitting.min(by: { idle[$0].capacity < idle[$1].capacity }) else { return nil }
        byteCount -= idle[best].capacity
        return idle.remove(at: best)
    }

    /// Adds a buffer and returns the buffers to free.
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
