internal import GtkImageUI
internal import ImageCore

/// What a scroll cost, and what went wrong in it.
struct ScrollResult {
    /// One way through the feed.
    struct Leg {
        var name: String
        var frames: [FrameSample]
        /// Images by where they came from, in this leg.
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

        /// Images and pages for which the origin was asked, and answered.
        var networkCount: Int { (images[.network] ?? 0) + (images[.validated] ?? 0) }
        /// Those that disk had, in date or not.
        var diskCount: Int { (images[.disk] ?? 0) + (images[.stale] ?? 0) }
    }

    var legs: [Leg]
    var readCount: Int
    var wrongCount: Int
    var unreadableCount: Int
    /// Images that cells on the screen waited for in a queue, and those for other cells that began meanwhile.
    var waitCount: Int
    var overtakenCount: Int
    var hops: FrameSummary.Percentiles
    var hopCount: Int
    /// Bytes before the window was opened, and at most afterwards.
    var baselineMemory: Int
    var peakMemory: Int
    var memoryByteLimit: Int
    /// Cells that GTK had made for all the photos.
    var cellCount: Int

    init(
        legs: [Leg], numbers: NumberCheck, turns: TurnCheck, hops: [Duration], baselineMemory: Int, peakMemory: Int,
        memoryByteLimit: Int, cellCount: Int
    ) {
        (self.legs, readCount, wrongCount) = (legs, numbers.readCount, numbers.wrongCount)
        unreadableCount = numbers.unreadableCount
        (waitCount, overtakenCount) = (turns.waitCount, turns.overtakenCount)
        (self.hops, hopCount) = (FrameSummary.Percentiles(hops), hops.count)
        (self.baselineMemory, self.peakMemory) = (baselineMemory, peakMemory)
        (self.memoryByteLimit, self.cellCount) = (memoryByteLimit, cellCount)
    }

    var frames: [FrameSample] { legs.flatMap(\.frames) }
}

extension ScrollResult {
    /// A table and a few lines, as Markdown.
    var report: String {
        let head =
            "| | frames | processor p50 / p95 / worst, ms | painting p95 | own p95 | memory | disk | network | cancelled |"
        let rule = "|---|---|---|---|---|---|---|---|---|"
        return ([head, rule] + legs.map(row) + ["", facts]).joined(separator: "\n")
    }

    private func row(_ leg: Leg) -> String {
        let summary = FrameSummary(leg.frames)
        let cells = [
            leg.name, "\(summary.count)",
            "\(summary.processorTime) / \(decimal(summary.processorTime.worst, places: 1))",
            decimal(summary.paintTime.nearlyAll, places: 2), decimal(summary.ownTime.nearlyAll, places: 2),
            "\(leg.images[.memory] ?? 0)", "\(leg.diskCount)", "\(leg.networkCount)",
            "\(leg.cancelledCount)",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private var facts: String {
        """
        images read back from the screen: \(readCount); wrong: \(wrongCount); without a number: \(unreadableCount)
        images that cells on the screen waited for in a queue: \(waitCount); for other cells, begun meanwhile: \(overtakenCount)
        main-actor hop, ms, p50 / p95 of \(hopCount): \(hops)
        resident memory, MB: \(megabytes(baselineMemory)) before the window, \(megabytes(peakMemory)) at most;         images in memory may have \(megabytes(memoryByteLimit))
        cells made: \(cellCount)
        """
    }

    private func megabytes(_ bytes: Int) -> String { decimal(Double(bytes) / 1e6, places: 1) }
}
