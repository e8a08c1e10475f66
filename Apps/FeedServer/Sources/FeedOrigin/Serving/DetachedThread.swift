#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Runs `work` on a new thread with a stack of 1 MiB. Returns false if the system can't create a thread.
func startDetachedThread(_ work: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, 1 << 20)
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // The thread consumes this reference. If there is no thread, it is released below.
    let box = unsafe Unmanaged.passRetained(Work(work)).toOpaque()
    #if canImport(Glibc)
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, &attributes, { unsafe start($0) }, box)
    #else
        var thread: pthread_t?
        let code = unsafe pthread_create(&thread, &attributes, { unsafe start($0) }, box)
    #endif
    if code != 0 { unsafe Unmanaged<Work>.fromOpaque(box).release() }
    return code == 0
}

private func start(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let box = unsafe box { unsafe Unmanaged<Work>.fromOpaque(box).takeRetainedValue().run() }
    return nil
}
