import CImageMemoryCaching
public import Synchronization

/// The entries of a cache, for many threads that look and one that changes.
///
/// A lock for all looks would hand its own memory and that of what is noted of them from processor to processor: two threads would
/// be slower than one. So there are several locks, each with a log of hits: a thread that looks takes the one that is its own as a
/// rule, and another when somebody else is there; who changes something takes them all (a "big-reader lock"). Nobody asks for a lock that
/// is likely to be taken: that would cost both a call of the kernel.
@safe @usableFromInline
final class SharedEntries<Key: Hashable & Sendable, Value: Sendable>:
    @unchecked Sendable  // sound: `contents` is read under one of the locks at least, and changed under all of them
{
    /// A lock, and what keeps others' memory away from it.
    @usableFromInline
    struct Reader: ~Copyable {
        @usableFromInline let hits = Mutex(HitLog())
        private let distance = SIMD16<UInt64>()

        @usableFromInline
        init() {}
    }

    /// Whether somebody changes entries, or is about to: then whoever finds a lock taken waits for that, and has met no other who looks.
    @usableFromInline let isChanging = Atomic(false)
    @usableFromInline let contents: UnsafeMutablePointer<EntryContents<Key, Value>>
    @usableFromInline let readers: UnsafeMutableBufferPointer<Reader>

    /// - Parameter readers: how many threads may look without waiting for each other, rounded up to a power of two.
    @usableFromInline
    init(readers: Int) {
        precondition(1...64 ~= readers, "a cache has 1 to 64 readers, not \(readers)")
        let count = readers == 1 ? 1 : 1 << (Int.bitWidth - (readers - 1).leadingZeroBitCount)
        unsafe self.readers = .allocate(capacity: count)
        for index in 0..<count { unsafe self.readers.initializeElement(at: index, to: Reader()) }
        unsafe contents = .allocate(capacity: 1)
        unsafe contents.initialize(to: EntryContents())
    }

    deinit {
        unsafe contents.deinitialize(count: 1)
        unsafe contents.deallocate()
        unsafe readers.deinitialize()
        unsafe readers.deallocate()
    }

    /// The value under a key, which counts as a use; nil also when its time is over as far as is known here.
    @inlinable
    func value(for key: Key, hash: UInt64, at now: Duration?) -> FoundValue<Value>? {
        if !isChanging.load(ordering: .relaxed) {
            if let found = unsafe readers[reader].hits.withLockIfAvailable({ hits in
                unsafe contents.pointee.look(for: key, hash: hash, at: now, noting: &hits)
            }) {
                return found
            }
            CallingThread.moveOn()
        }
        return unsafe readers[reader].hits.withLock { hits in
            unsafe contents.pointee.look(for: key, hash: hash, at: now, noting: &hits)
        }
    }

    /// The calling thread's own, until it has met another thread there.
    @inlinable var reader: Int { unsafe CallingThread.number & (readers.count - 1) }

    /// Looks at entries without a lock: for the one who could change them now, so that nobody else does.
    @inlinable
    func look<Result>(_ body: (borrowing EntryContents<Key, Value>) -> Result) -> Result {
        unsafe body(contents.pointee)
    }

    /// Changes entries while nobody looks. The hits until then are added to what was heard.
    @inlinable
    func change<Result: Sendable>(
        hearing heard: inout HeardHits, _ body: (inout EntryContents<Key, Value>, inout HeardHits) -> Result
    ) -> Result {
        isChanging.store(true, ordering: .relaxed)
        defer { isChanging.store(false, ordering: .relaxed) }
        return change(from: 0, hearing: &heard, body)
    }

    /// Adds the hits of the calling thread alone, so that it meets no other.
    @inlinable
    func hear(into heard: inout HeardHits) {
        unsafe readers[reader].hits.withLock { $0.empty(into: &heard) }
    }

    @inlinable
    func change<Result: Sendable>(
        from reader: Int, hearing heard: inout HeardHits,
        _ body: (inout EntryContents<Key, Value>, inout HeardHits) -> Result
    ) -> Result {
        guard unsafe reader < readers.count else { return unsafe body(&contents.pointee, &heard) }
        return unsafe readers[reader].hits.withLock { hits in
            hits.empty(into: &heard)
            return change(from: reader + 1, hearing: &heard, body)
        }
    }
}

/// The thread that asks.
@usableFromInline
enum CallingThread {
    /// 0 for the first that asks, then 1, and so on: threads that are few have locks of their own.
    @usableFromInline static var number: Int { Int(memory_thread_number()) }

    /// Takes the next number: whoever has waited for a lock does not share it for long.
    @usableFromInline
    static func moveOn() { memory_thread_moves_on() }
}
