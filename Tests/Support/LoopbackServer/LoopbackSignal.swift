import ImageTesting
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Blocks connections of a `LoopbackServer` at a `.wait` or `.drip` step until a test lets them continue.
///
/// A signal is a pipe, so that a connection can wait in `poll` for it and for its client. The end of the pipe lets all pass.
public final class LoopbackSignal: Sendable {
    let readEnd: Int32
    private let writeEnd: Mutex<Int32?>
    private let arrived = Watched(0)

    /// Creates a closed signal.
    public init() {
        var ends: [Int32] = [0, 0]
        let status = unsafe pipe(&ends)
        precondition(status == 0, "there are too many open files")
        for end in ends { setNonBlocking(end) }
        readEnd = ends[0]
        writeEnd = Mutex(ends[1])
    }

    deinit {
        open()
        _ = close(readEnd)
    }

    /// Lets all connections pass, now and later.
    public func open() {
        writeEnd.withLock { end in
            if let end { _ = close(end) }
            end = nil
        }
    }

    /// Waits until connections have reached the signal `count` times in total.
    public func arrivals(_ count: Int, file: StaticString = #fileID, line: UInt = #line) async {
        await arrived.waitUntil({ $0 >= count }, file: file, line: line)
    }

    /// Counts an arrival, as a connection does.
    public func arrive() { arrived.change { $0 += 1 } }

    /// Whether all connections may pass.
    var isOpen: Bool {
        var byte: UInt8 = 0
        return unsafe read(readEnd, &byte, 1) >= 0
    }
}
