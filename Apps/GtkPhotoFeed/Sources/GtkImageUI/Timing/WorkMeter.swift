/// Measures the main thread's processor time in the app's handlers and tasks, including their calls of GTK. The
/// remaining time is GTK's layout and painting.
public enum WorkMeter {
    /// Whether time is measured. Off by default, because reading the clock for each handler takes time.
    public static var isOn = false
    /// The total processor time measured so far.
    public private(set) static var total = Duration.zero
    private static var depth = 0

    /// Runs and measures a handler. Counts nested handlers only once.
    static func count(_ work: () -> Void) {
        guard isOn, depth == 0 else { return work() }
        depth = 1
        let start = threadProcessorTime()
        work()
        total += threadProcessorTime() - start
        depth = 0
    }
}
