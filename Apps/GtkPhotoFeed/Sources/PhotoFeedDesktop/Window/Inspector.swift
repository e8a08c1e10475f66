internal import ImageCore
internal import ImageLoading
internal import ImagePresentingGTK

/// Statistics of the loader and of frames.
final class Inspector {
    let list = PropertyList(title: "Statistics")
    /// Whether the statistics are visible. If not, nothing is measured.
    var isOn = false {
        didSet {
            guard isOn != oldValue else { return }
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

    init(_ loading: FeedLoading) { self.loading = loading }

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
        list.properties = properties(loading.downloads.statistics, sizes)
    }

    private func properties(_ statistics: LoadStatistics, _ sizes: CacheSizes?) -> [Property] {
        let network = statistics.succeeded[.network] ?? 0
        let times = frames.sorted()
        let (memory, limit) = (megabytes(sizes?.memory), megabytes(loading.memoryByteLimit))
        let (median, most) = (milliseconds(times, 0.5), milliseconds(times, 0.95))
        let values: KeyValuePairs = [
            "Memory": "\(percent(statistics.memoryHitRatio)) hits, \(memory) of \(limit) MB",
            "Disk": "\(percent(statistics.diskHitRatio)) hits, \(megabytes(sizes?.disk)) MB",
            "Network": "\(network) images, \(megabytes(statistics.downloadedBytes)) MB",
            "Downloads in flight": "\(loading.downloads.inFlight)",
            "Failed, cancelled": "\(statistics.failed), \(statistics.cancelled)",
            "Processor time of a frame": "median \(median) ms, 95 % below \(most) ms",
        ]
        return values.map { Property(name: $0.key, value: $0.value) }
    }

    private func percent(_ ratio: Double?) -> String { ratio.map { "\(Int(($0 * 100).rounded())) %" } ?? "no" }

    private func megabytes(_ bytes: Int?) -> String { bytes.map { tenths(Double($0) / 1e6) } ?? "?" }

    private func milliseconds(_ sorted: [Duration], _ share: Double) -> String {
        sorted.isEmpty ? "?" : tenths(sorted[Int(Double(sorted.count - 1) * share)] / .milliseconds(1))
    }

    private func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}
