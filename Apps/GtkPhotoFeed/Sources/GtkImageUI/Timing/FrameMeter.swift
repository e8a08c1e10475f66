internal import CGtk

/// What one frame cost.
public struct FrameSample: Hashable, Sendable {
    /// Since the frame before, by the frame clock.
    public var interval: Duration
    /// Processor time of the main thread since the frame before: everything, painting or not.
    public var processorTime: Duration
    /// The part of it between the clock's `before-paint` and `after-paint`: layout, styles, painting.
    public var paintTime: Duration
    /// The part of it in handlers and tasks of our own.
    public var ownTime: Duration
}

/// Follows the frame clock of a window: gives tasks their turn after each frame, and says what frames cost.
public final class FrameMeter {
    /// Called after each frame but the first.
    public var onFrame: (FrameSample) -> Void = { _ in }
    /// When the present frame began, by the frame clock, in a time of its own that only grows.
    public private(set) var frameTime = Duration.zero

    private var lastFrameTime: Duration?
    private var timeAtStart = Duration.zero
    private var ownTimeAtStart = Duration.zero
    private var last: (processorTime: Duration, ownTime: Duration)?

    public init() {}

    /// - Parameter window: has to be realized, or has no clock.
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
        ownTimeAtStart = WorkMeter.total
    }

    private func frameEnded() {
        GtkMainLoop.runMainQueue()
        let now = threadProcessorTime()
        // What `onFrame` costs is not counted.
        defer { last = (threadProcessorTime(), WorkMeter.total) }
        guard let last, let lastFrameTime else { return }
        onFrame(
            FrameSample(
                interval: frameTime - lastFrameTime, processorTime: now - last.processorTime,
                paintTime: now - timeAtStart, ownTime: WorkMeter.total - last.ownTime))
    }
}
