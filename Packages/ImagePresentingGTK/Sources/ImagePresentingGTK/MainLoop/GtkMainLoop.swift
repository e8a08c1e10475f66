#if GTK
internal import CLibGTK
// Links libdispatch, which exports the two functions below.
private import Dispatch

#if canImport(Glibc)
private import Glibc
#else
private import Darwin
#endif

/// Runs the work of `@MainActor` and `DispatchQueue.main` in GLib's main loop.
///
/// On Linux, the main actor uses libdispatch's main queue, which doesn't run while GLib's main loop occupies the
/// thread. libdispatch signals new work through a file descriptor, which GLib watches.
///
/// Run the loop on the process's first thread, from a `main` that is not `async`. With an `async` main, the main actor
/// uses another thread.
public enum GtkMainLoop {
    /// The priority of main actor work. It is lower than that of painting (`GDK_PRIORITY_REDRAW`, 120), so that tasks
    /// don't delay frames.
    ///
    /// `WindowClock` also runs tasks after each frame, because continuous painting would otherwise delay them for
    /// seconds.
    private static let priority: Int32 = 125

    private static var source: UInt32 = 0

    /// Starts to watch libdispatch's main queue. Further calls do nothing.
    public static func attach() {
        guard source == 0 else { return }
        source = unsafe g_unix_fd_add_full(
            priority, mainQueueHandle(), G_IO_IN,
            { handle, _, _ in
                // Resets the descriptor, so that the loop doesn't wake up again.
                var count: UInt64 = 0
                unsafe _ = read(handle, &count, MemoryLayout<UInt64>.size)
                GtkMainLoop.runMainQueue()
                return 1
            }, nil, nil)
    }

    /// Runs the queued work of the main actor. Does nothing if such work calls it, because libdispatch doesn't run the
    /// queue recursively.
    static func runMainQueue() { drainMainQueue(nil) }

    /// Runs at most one iteration of the loop, including painting, timers and tasks.
    ///
    /// - Parameter mayWait: Whether to sleep until there is work.
    public static func step(mayWait: Bool = true) { g_main_context_iteration(nil, mayWait ? 1 : 0) }

    /// Runs the loop until `isDone` returns true. Returns false if it hasn't after the timeout.
    public static func run(upTo timeout: Duration, until isDone: () -> Bool) -> Bool {
        let end = g_get_monotonic_time() + Int(timeout / .microseconds(1))
        // Wakes the loop at intervals, so that it evaluates `isDone`.
        let timer = unsafe g_timeout_add(20, { _ in 1 }, nil)
        defer { g_source_remove(timer) }
        while !isDone() {
            if g_get_monotonic_time() > end { return false }
            step()
        }
        return true
    }
}

// libdispatch exports these functions without declaring them in its headers. CoreFoundation's run loop uses them on
// Linux.

@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private nonisolated func mainQueueHandle() -> Int32

@_silgen_name("_dispatch_main_queue_callback_4CF")
private nonisolated func drainMainQueue(_ unused: UnsafeMutableRawPointer?)
#endif
