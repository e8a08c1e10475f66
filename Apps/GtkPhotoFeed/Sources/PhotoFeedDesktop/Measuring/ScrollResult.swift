internal import GtkImageUI
internal import ImageCore

/// The costs and errors of a scroll.
struct ScrollResult {
    /// One pass through the feed in one direction.
    struct Leg {
        var name: String
        var frames: [FrameSample]
        /// The number of images in this leg, by source.
        var images: [ImageSource: Int]
        var downloadedBytes: Int
        var failedCount: Int
        var cancelledCount: Int

        init(name: String, frames: [FrameSample], before: ImageLoaderStatistics, after: ImageLoaderStatistics) {
            (self.name, self.frames) = (name, frames)
            images = after.succeeded.mapValues(\.count).merging(
                before.succeeded.mapValues(\.count), uniquingKeysWith: -)
            downloadedBytes = after.downloadedBytes - before.downloadedBytes
            failedCount = after.failed.count - before.failed.count
            cancelledCount = after.cancelled.count - before.cancelled.count
        }

        /// The number of images and pages from the server, including revalidated ones.
        var networkCount: Int { (images[.network] ?? 0) + (images[.validated] ?? 0) }
        /// The number of images and pages from the disk cache, fresh or stale.
        var diskCount: Int { (images[.disk] ?? 0) + (images[.stale] ?? 0) }
    }

    var legs: [Leg]
    var readCount: Int
    var wrongCount: Int
    var unreadableCount: Int
    /// The number of images in the download queue that cells on the screen waited for.
    var waitCount: Int
    /// The number of downloads for other cells that started while a cell on the screen waited.
    var overtakenCount: Int
    var mainActorLatency: FrameSummary.Percentiles
    var latencyCount: Int
    /// The resident memory before the window was opened, in bytes.
    var baselineMemory: Int
    /// The maximum resident memory afterwards, in bytes.
    var peakMemory: Int
    var memoryByteLimit: Int
    /// The number of cells that GTK has created.
    var cellCount: Int

    init(
        legs: [Leg], numbers: NumberCheck, downloadOrder: DownloadOrderCheck, latencies: [Duration],
        baselineMemory: Int, peakMemory: Int,
        memoryByteLimit: Int, cellCount: Int
    ) {
        (self.legs, readCount, wrongCount) = (legs, numbers.readCount, numbers.wrongCount)
        unreadableCount = numbers.unreadableCount
        (waitCount, overtakenCount) = (downloadOrder.waitCount, downloadOrder.overtakenCount)
        (mainActorLatency, latencyCount) = (FrameSummary.Percentiles(latencies), latencies.count)
        (self.baselineMemory, self.peakMemory) = (baselineMemory, peakMemory)
        (self.memoryByteLimit, self.cellCount) = (memoryByteLimit, cellCount)
    }

    var frames: [FrameSample] { legs.flatMap(\.frames) }
}

extension ScrollResult {
    /// A Markdown report with a table.
    var report: String {
        let head =
            "| | frames | processor p50 / p95 / worst, ms | painting p95 | app p95 | memory | disk | network | cancelled |"
        let rule = "|---|---|---|---|---|---|---|---|---|"
        return ([head, rule] + legs.map(row) + ["", facts]).joined(separator: "\n")
    }

    private func row(_ leg: Leg) -> String {
        let summary = FrameSummary(leg.frames)
        let cells = [
            leg.name, "\(summary.count)",
            "\(summary.processorTime) / \(decimal(summary.processorTime.worst, places: 1))",
            decimal(summary.paintTime.p95, places: 2), decimal(summary.appTime.p95, places: 2),
            "\(leg.images[.memory] ?? 0)", "\(leg.diskCount)", "\(leg.networkCount)",
            "\(leg.cancelledCount)",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private var facts: String {
        """
        images read from the screen: \(readCount); wrong: \(wrongCount); without a number: \(unreadableCount)
        queued images that cells on the screen waited for: \(waitCount); downloads for other cells that started meanwhile: \(overtakenCount)
        main actor latency, ms, p50 / p95 of \(latencyCount): \(mainActorLatency)
        resident memory, MB: \(megabytes(baselineMemory)) before the window was opened, \(megabytes(peakMemory)) at most; limit of images in memory: \(megabytes(memoryByteLimit))
        cells created: \(cellCount)
        """
    }

    private func megabytes(_ bytes: Int) -> String { decimal(Double(bytes) / 1e6, places: 1) }
}
