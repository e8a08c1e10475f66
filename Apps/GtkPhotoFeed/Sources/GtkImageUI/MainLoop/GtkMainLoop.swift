internal import CGtk
// Linking finds the two functions below in libdispatch.
private import Dispatch

#if canImport(Glibc)
    private import Glibc
#else
    private import Darwin
#endif

/// Lets `@MainActor` and `DispatchQueue.main` run inside GLib's main loop.
///
/// On Linux the main actor runs what libdispatch's main queue is given, and that queue is served by nobody while `g_main_loop_run` has the
/// thread. libdispatch tells through a file descriptor when there is work; GLib watches it.
///
/// The process's first thread has to be the one that runs the loop, from a `main` that is not `async`: with one that is, the main actor goes
/// over to another thread.
public enum GtkMainLoop {
    /// Behind painting (`GDK_PRIORITY_REDRAW`, 120; less is sooner): tasks that keep the main actor busy can't hold up frames. In turn
    /// `FrameMeter` gives tasks their turn after each frame, or a list that paints all the time would hold them up for seconds.
    private static let priority: Int32 = 125

    private static var source: UInt32 = 0

    /// Watches libdispatch's main queue from now on. Doing it again does nothing.
    public static func attach() {
        guard source == 0 else { return }
        source = unsafe g_unix_fd_add_full(
            priority, mainQueueHandle(), G_IO_IN,
            { handle, _, _ in
                // Unless it is read, the loop wakes up again and again.
                var count: UInt64 = 0
                unsafe _ = read(handle, &count, MemoryLayout<UInt64>.size)
                GtkMainLoop.runMainQueue()
                return 1
            }, nil, nil)
    }

    /// Runs what waits for the main actor. Does nothing when it is called by such work: libdispatch does not run the queue within itself.
    public static func runMainQueue() { WorkMeter.count { drainMainQueue(nil) } }

    /// Takes up to one step of the loop, painting, timers and tasks alike. For tests, and for scripts that wait for something.
    ///
    /// - Parameter mayWait: sleeps until there is something to do.
    public static func step(mayWait: Bool = true) { g_main_context_iteration(nil, mayWait ? 1 : 0) }

    /// Steps until `isDone`, or until so many seconds of real time have gone. Returns whether it was done.
    public static func run(upTo seconds: Double, until isDone: () -> Bool) -> Bool {
        let end = g_get_monotonic_time() + Int(seconds * 1_000_000)
        // Wakes the loop when nothing else does.
        let timer = unsafe g_timeout_add(20, { _ in 1 }, nil)
        defer { g_source_remove(timer) }
        while !isDone() {
            if g_get_monotonic_time() > end { return false }
            step()
        }
        return true
    }
}

// Not part of libdispatch's headers, but exported by it: this is how CoreFoundation's run loop serves the main queue on Linux.

@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private nonisolated func mainQueueHandle() -> Int32

@_silgen_name("_dispatch_main_queue_callback_4CF")
private nonisolated func drainMainQueue(_ unused: UnsafeMutableRawPointer?)
