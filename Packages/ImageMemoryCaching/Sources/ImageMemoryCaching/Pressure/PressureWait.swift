import ImageCore

/// Waits on the monitor's thread.
protocol PressureWait: Sendable {
    /// Requests announcements of stalls from the kernel. Returns false if the kernel refuses the request.
    func arm(_ trigger: PressureTrigger, on file: String) -> Bool

    /// Returns when a stall is announced, after `interval` (unless nil), or after `end`.
    func wait(atMost interval: Duration?) -> PressureWake

    /// Ends the current wait and all later ones. Can be called from any thread.
    func end()
}

/// The reason why a wait returned.
enum PressureWake: Hashable, Sendable {
    /// A check is due. The level is the highest announced one, or `.normal`.
    case check(announced: MemoryPressureLevel)
    case ended
}

/// A request to the kernel to announce when tasks wait longer than a threshold within a window, both in microseconds.
struct PressureTrigger: Hashable, Sendable {
    /// "some" or "full".
    var kind: String
    var threshold: Int
    var window: Int
    /// The level that is announced.
    var level: MemoryPressureLevel

    /// The request in the kernel's format.
    var text: String { "\(kind) \(threshold) \(window)" }

    /// The requests for the two stall thresholds.
    static func all(_ thresholds: MemoryPressureThresholds) -> [PressureTrigger] {
        let window = Int(thresholds.interval / .microseconds(1))
        func trigger(_ kind: String, _ share: Double, _ level: MemoryPressureLevel) -> PressureTrigger {
            PressureTrigger(kind: kind, threshold: Int(share * Double(window)), window: window, level: level)
        }
        return [
            trigger("some", thresholds.warningStall, .warning), trigger("full", thresholds.criticalStall, .critical),
        ]
    }
}
