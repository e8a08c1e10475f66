import ImageCore

/// The conditions under which downloads run.
struct DownloadConditions: Hashable, Sendable {
    var pressure = MemoryPressureLevel.normal
    var application = ApplicationState.foreground
    var connectivity = Connectivity.online
    /// Whether the background time has expired.
    var isTimeUp = false

    /// Returns whether downloads can run. Priorities below normal require enough memory and the foreground.
    func allow(_ priority: RequestPriority) -> Bool {
        if application == .background, isTimeUp { return false }
        return priority >= .normal || application == .foreground && pressure < .warning
    }
}
