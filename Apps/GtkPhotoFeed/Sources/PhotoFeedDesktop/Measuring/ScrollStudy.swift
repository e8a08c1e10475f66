internal import GtkImageUI
internal import ImagePresenting

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Measures scrolling with images at the size of their cells and at full size, without a server, and on a slow network.
/// Writes a plot.
struct ScrollStudy {
    var folder: String
    var photoCount: Int

    /// The limit of the memory cache in bytes. It is too small for all thumbnails of a thousand photos.
    private static let memoryByteLimit = 64_000_000

    /// Runs all measurements. Returns the report as Markdown.
    func run() throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let cache = Fixture.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: cache) }
        let origin = try OriginProcess(
            OriginProcess.program, options: ["--photos", "\(photoCount)", "--numbered", "--max-age", "86400"])
        let baseline = baseline()
        let fitted = try scroll(origin, cache, passes: 2)
        let stored = try scroll(origin, nil, fits: false, passes: 1)
        origin.stop()
        let offline = try scroll(origin, cache, passes: 1)
        try plot(fitted, stored).svg.write(toFile: "\(folder)/frames.svg", atomically: true, encoding: .utf8)
        return [
            baseline,
            section("Images at the size of their cells", fitted),
            section("Images at full size", stored),
            section("No server, filled cache", offline),
            section("Slow network: 100 ms, 20,000 bytes per second, 60 photos", try slow()),
            try outage(),
        ].joined(separator: "\n")
    }

    private func section(_ title: String, _ result: ScrollResult) -> String { "## \(title)\n\n\(result.report)\n" }

    /// Measures GTK alone. Runs first, so that nothing else is in memory.
    private func baseline() -> String {
        let before = residentMemory() ?? 0
        let frames = FrameSummary(BaselineRun(photoCount: photoCount).run())
        let (start, end) = (Double(before) / 1e6, Double(residentMemory() ?? 0) / 1e6)
        return """
            ## GTK alone: cells with the same widgets whose content never changes, down and back

            \(frames.count) frames, processor p50 / p95 / worst, ms: \(frames.processorTime) / \(decimal(frames.processorTime.worst, places: 1))
            resident memory, MB: \(decimal(start, places: 1)) before, \(decimal(end, places: 1)) at the end

            """
    }

    /// - Parameter cache: The folder of the disk cache, or `nil` for a temporary folder.
    private func scroll(
        _ origin: OriginProcess, _ cache: URL?, fits: Bool = true, passes: Int
    ) throws -> ScrollResult {
        let fixture = try Fixture(
            [], origin: origin, cacheDirectory: cache, memoryByteLimit: Self.memoryByteLimit, fitsImagesToCells: fits)
        defer { fixture.close() }
        return try ScrollRun(fixture, passes: passes).run(limit: 900)
    }

    private func slow() throws -> ScrollResult {
        let fixture = try Fixture(["--photos", "60", "--numbered", "--latency", "100", "--bandwidth", "20000"])
        defer {
            fixture.close()
            fixture.origin.stop()
        }
        return try ScrollRun(fixture, passes: 1).run(limit: 300)
    }

    /// Stops the server during the scroll down. Counts the cells at the end of the loaded photos, and again at the top.
    private func outage() throws -> String {
        let fixture = try Fixture(["--photos", "300", "--numbered"])
        defer { fixture.close() }
        fixture.window.open()
        fixture.waitUntil { fixture.isSettled }
        fixture.scroll(to: 2_000)
        fixture.origin.stop()
        fixture.scroll(to: .infinity)
        fixture.waitUntil {
            fixture.window.footer.offersRetry && fixture.cells.allSatisfy { !$0.image.appearance.phase.isLoading }
        }
        let end = fixture.screenSummary
        fixture.scroll(to: 0)
        fixture.waitUntil { fixture.cells.allSatisfy { !$0.image.appearance.phase.isLoading } }
        return """
            ## The server stops during the scroll

            remaining photos: \(fixture.window.list.count); the next page can be retried: \(fixture.window.footer.offersRetry)
            on the screen at the end: \(end)
            on the screen back at the top: \(fixture.screenSummary)

            """
    }

    private func plot(_ fitted: ScrollResult, _ stored: ScrollResult) -> FramePlot {
        func values(_ result: ScrollResult) -> [Double] {
            result.frames.map { $0.processorTime / .milliseconds(1) }
        }
        return FramePlot(
            title: "Processor time of the main thread per frame, scrolling through \(photoCount) photos", goal: 8,
            series: [
                FramePlot.Series(name: "at the size of cells", color: "#1a6fb5", values: values(fitted)),
                FramePlot.Series(name: "at full size", color: "#c0392b", values: values(stored)),
            ])
    }
}

extension Fixture {
    /// Scrolls in steps to an offset, at most to the end.
    fileprivate func scroll(to target: Double) {
        let list = window.list
        waitUntil {
            let goal = min(max(0, target), list.largestOffset)
            let rest = goal - list.offset
            list.offset += rest > 0 ? min(rest, 40) : max(rest, -40)
            return abs(goal - list.offset) < 1
        }
    }

    /// A summary of the cells on the screen.
    fileprivate var screenSummary: String {
        let numbers = NumberCheck()
        numbers.check(window)
        let failed = cells.count { $0.image.view.content == .failure }
        return "\(numbers.readCount) images, \(numbers.wrongCount) wrong, \(failed) failures"
    }
}
