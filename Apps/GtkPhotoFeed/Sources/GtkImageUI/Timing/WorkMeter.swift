/// How much of the main thread's processor time goes into handlers and tasks of our own, with the calls of GTK that they make: what is
/// left is GTK's layout and painting.
public enum WorkMeter {
    /// Reading the clock for each handler costs a little, so it is off unless somebody measures.
    public static var isOn = false
    /// Since the program began, while it was on.
    public private(set) static var total = Duration.zero
    private static var depth = 0

    /// Handlers within handlers count once.
    static func count(_ work: () -> Void) {
        guard isOn, depth == 0 else { return work() }
        depth = 1
        let start = threadProcessorTime()
        work()
        total += threadProcessorTime() - start
        depth = 0
    }
}
