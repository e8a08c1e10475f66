internal import CGtk

/// The times of a frame.
public struct FrameSample: Hashable, Sendable {
    /// The time since the previous frame, by the frame clock.
    public var interval: Duration
    /// The processor time of the main thread since the previous frame.
    public var processorTime: Duration
    /// The part of `processorTime` between the clock's `before-paint` and `after-paint` signals: layout, styles and
    /// painting.
    public var paintTime: Duration
    /// The part of `processorTime` in the app's handlers and tasks, measured by `WorkMeter`.
    public var appTime: Duration
}

/// Measures the frames of a window, and runs tasks of the main actor after each frame.
public final class FrameMeter {
    /// Called after each frame except the first.
    public var onFrame: (FrameSample) -> Void = { _ in }
    /// The start time of the current frame, by the frame clock, which is monotonic.
    public private(set) var frameTime = Duration.zero

    private var lastFrameTime: Duration?
    private var timeAtStart = Duration.zero
    private var appTimeAtStart = Duration.zero
    private var last: (processorTime: Duration, appTime: Duration)?

    /// Creates a meter.
    public init() {}

    /// Starts to measure a window.
    ///
    /// - Parameter window: The window, which must be realized.
    public func follow(_ window: Widget) {
        guard let clock = unsafe gtk_widget_get_frame_clock(window.pointer) else { return }
        let object = unsafe UnsafeMutableRawPointer(clock)
        unsafe connectUnmetered(object, "before-paint") { [weak self] in
            self?.frameBegan(at: .microseconds(unsafe gdk_frame_clock_get_frame_time(clock)))
        }
        unsafe connectUnmetered(object, "after-paint") { [weak self] in self?.frameEnded() }
    }

    private func frameBegan(at time: Duration) {
        lastFrameTime = frameTime
        frameTime = time
        timeAtStart = threadProcessorTime()
        appTimeAtStart = WorkMeter.total
    }

    private func frameEnded() {
        GtkMainLoop.runMainQueue()
        let now = threadProcessorTime()
        // Excludes the time of `onFrame`.
        defer { last = (threadProcessorTime(), WorkMeter.total) }
        guard let last, let lastFrameTime else { return }
        onFrame(
            FrameSample(
                interval: frameTime - lastFrameTime, processorTime: now - last.processorTime,
                paintTime: now - timeAtStart, appTime: WorkMeter.total - last.appTime))
    }
}
