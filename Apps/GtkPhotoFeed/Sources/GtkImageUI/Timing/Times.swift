#if canImport(Glibc)
    private import Glibc
#else
    private import Darwin
#endif

/// The processor time that the calling thread has used.
public nonisolated func threadProcessorTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// Since some moment before the program began; the frame clock's times are of the same kind.
public nonisolated func monotonicTime() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
