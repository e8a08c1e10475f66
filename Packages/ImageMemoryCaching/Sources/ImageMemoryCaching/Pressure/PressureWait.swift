package import ImageCore

/// What the monitor's thread waits in.
package protocol PressureWait: Sendable {
    /// Asks the kernel to announce a stall; false when it does not take the request, for want of rights or of the feature.
    func arm(_ trigger: PressureTrigger, on file: String) -> Bool

    /// Returns when a stall is announced, when `interval` has passed (nil: it never does), or after `end`.
    func wait(atMost interval: Duration?) -> PressureWake

    /// Ends the wait that is under way and all later ones. May be called from any thread.
    func end()
}

/// Why a wait is over.
package enum PressureWake: Hashable, Sendable {
    /// It is time to look. The level is that of the gravest announcement, `.normal` for none.
    case look(announced: MemoryPressureLevel)
    case ended
}

/// What the kernel is asked to announce: more than so much waiting within a window.
package struct PressureTrigger: Hashable, Sendable {
    /// "some" or "full".
    package var kind: String
    /// Of waiting, in microseconds.
    package var threshold: Int
    /// In microseconds.
    package var window: Int
    /// What the announcement means.
    package var level: MemoryPressureLevel

    /// The request in the kernel's words.
    package var text: String { "\(kind) \(threshold) \(window)" }

    /// The two that thresholds stand for.
    package static func all(_ thresholds: MemoryPressureThresholds) -> [PressureTrigger] {
        let window = Int(thresholds.interval / .microseconds(1))
        func trigger(_ kind: String, _ share: Double, _ level: MemoryPressureLevel) -> PressureTrigger {
            PressureTrigger(kind: kind, threshold: Int(share * Double(window)), window: window, level: level)
        }
        return [
            trigger("some", thresholds.warningStall, .warning), trigger("full", thresholds.criticalStall, .critical),
        ]
    }
}
