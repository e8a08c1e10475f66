import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Waits for SIGINT or SIGTERM, or for the end of standard input.
struct ShutdownSignal {
    private let semaphore = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]

    /// Starts to handle the signals, which then no longer end the process.
    ///
    /// - Parameter orEndOfInput: Whether to wait also for the end of standard input. Uses a thread.
    init(orEndOfInput: Bool) {
        let semaphore = semaphore
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { semaphore.signal() }
            source.resume()
            return source
        }
        guard orEndOfInput else { return }
        DispatchQueue.global(qos: .utility).async {
            while getchar() != EOF {}
            semaphore.signal()
        }
    }

    func wait() { semaphore.wait() }
}
