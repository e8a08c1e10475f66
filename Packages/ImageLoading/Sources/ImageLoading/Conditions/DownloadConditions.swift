import ImageCore

/// The conditions for downloads, and which downloads they allow.
struct DownloadConditions: Hashable, Sendable {
    var pressure = MemoryPressureLevel.normal
    var application = ApplicationState.foreground
    var connectivity = Connectivity.online
    /// Whether the platform has ended the time in the background.
    var isTimeUp = false

    /// Downloads below normal priority need free memory and an application in the foreground. Nothing runs once the time in
    /// the background is up.
    func allow(_ priority: RequestPriority) -> Bool {
        if application == .background, isTimeUp { return false }
        return priority >= .normal || application == .foreground && pressure < .warning
    }
}
