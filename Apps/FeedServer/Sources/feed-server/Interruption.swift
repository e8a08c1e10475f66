import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Waits for SIGINT or SIGTERM, or for the end of standard input.
struct Interruption {
    private let semaphore = DispatchSemaphore(value: 0)
    private let sources: [any DispatchSourceSignal]

    /// From now on the signals no longer end the process by themselves.
    ///
    /// - Parameter orEndOfInput: takes a thread, which waits for the input.
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
