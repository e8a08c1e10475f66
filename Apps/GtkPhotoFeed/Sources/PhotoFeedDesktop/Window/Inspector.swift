internal import ImageCore
internal import ImageLoading
internal import ImagePresentingGTK

/// An overlay with statistics of the loader and of frames.
final class Inspector {
    let widget = GtkWidgetRef.label("")
    /// Whether the overlay is visible. If not, nothing is measured.
    var isOn = false {
        didSet {
            widget.isVisible = isOn
            frames = []
            if isOn { Task { await update() } }
        }
    }

    private let loading: FeedLoading
    private var frames: [Duration] = []
    private var lastUpdate: ContinuousClock.Instant?
    private var isUpdating = false
    private static let updateInterval = Duration.milliseconds(500)
    private static let frameLimit = 120

    init(_ loading: FeedLoading) {
        self.loading = loading
        widget.addStyle("inspector")
        widget.setAlignment(horizontal: GTK_ALIGN_END, vertical: GTK_ALIGN_START)
        widget.setMargins(12)
        widget.isVisible = false
        unsafe gtk_widget_set_can_target(widget.pointer, 0)
    }

    func record(_ frame: Duration) {
        guard isOn else { return }
        frames.append(frame)
        if frames.count > Self.frameLimit { frames.removeFirst() }
        let now = ContinuousClock.now
        if let lastUpdate, now - lastUpdate < Self.updateInterval { return }
        guard !isUpdating else { return }
        lastUpdate = now
        Task { await update() }
    }

    private func update() async {
        isUpdating = true
        defer { isUpdating = false }
        let sizes: CacheSizes?
        do { sizes = try await loading.loader.cacheSizes() } catch { sizes = nil }
        widget.text = lines(loading.downloads.statistics, sizes).joined(separator: "\n")
    }

    private func lines(_ statistics: LoadStatistics, _ sizes: CacheSizes?) -> [String] {
        let network = statistics.succeeded[.network] ?? 0
        let times = frames.sorted()
        return [
            "memory  \(percent(statistics.memoryHitRatio)) hits, \(megabytes(sizes?.memory)) MB of \(megabytes(loading.memoryByteLimit))",
            "disk    \(percent(statistics.diskHitRatio)) hits, \(megabytes(sizes?.disk)) MB",
            "network \(network) images, \(megabytes(statistics.downloadedBytes)) MB, \(loading.downloads.inFlight) in flight",
            "failed  \(statistics.failed), cancelled \(statistics.cancelled)",
            "frame   \(milliseconds(times, 0.5)) ms processor (median), \(milliseconds(times, 0.95)) ms (95th percentile)",
        ]
    }

    private func percent(_ ratio: Double?) -> String { ratio.map { "\(Int(($0 * 100).rounded())) %" } ?? "no" }

    private func megabytes(_ bytes: Int?) -> String { bytes.map { tenths(Double($0) / 1e6) } ?? "?" }

    private func milliseconds(_ sorted: [Duration], _ share: Double) -> String {
        sorted.isEmpty ? "?" : tenths(sorted[Int(Double(sorted.count - 1) * share)] / .milliseconds(1))
    }

    private func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
