internal import GtkImageUI
internal import ImagePresenting

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The same scroll with images of the size at which they are shown, and with images as they are stored; a report and a plot.
struct ScrollStudy {
    var folder: String
    var photoCount: Int

    /// What the memory cache may hold: less than all thumbnails of a thousand photos.
    private static let memoryByteLimit = 64_000_000

    /// Returns the report.
    func run() throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let cache = Fixture.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: cache) }
        let origin = try OriginProcess(
            OriginProcess.program, options: ["--photos", "\(photoCount)", "--numbered", "--max-age", "86400"])
        let fitted = try scroll(origin, cache, passes: 2)
        let floor = FrameSummary(FloorRun(photoCount: photoCount).run())
        let stored = try scroll(origin, nil, fits: false, passes: 1)
        origin.stop()
        let offline = try scroll(origin, cache, passes: 1)
        try plot(fitted, stored).svg.write(toFile: "\(folder)/frames.svg", atomically: true, encoding: .utf8)
        return [
            section("Images as large as they are shown", fitted),
            """
            ## GTK alone: cells of the same widgets that always show the same, there and back

            \(floor.count) frames, processor p50 / p95 / worst, ms: \(floor.processorTime) / \(decimal(floor.processorTime.worst, places: 1))

            """,
            section("Images as large as they are stored", stored),
            section("The origin gone, a cache that has been filled", offline),
            section("A slow network: 100 ms, 20,000 bytes a second, 60 photos", try slow()),
            try outage(),
        ].joined(separator: "\n")
    }

    private func section(_ title: String, _ result: ScrollResult) -> String { "## \(title)\n\n\(result.report)\n" }

    /// - Parameter cache: nil for one that goes with the scroll.
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

    /// The origin goes in the middle of the way down; at the end of what is there, and back at the top, the cells are counted.
    private func outage() throws -> String {
        let fixture = try Fixture(["--photos", "300", "--numbered"])
        defer { fixture.close() }
        fixture.window.open()
        fixture.waits { fixture.isSettled }
        fixture.glides(to: 2_000)
        fixture.origin.stop()
        fixture.glides(to: .infinity)
        fixture.waits {
            fixture.window.footer.isOffering && fixture.cells.allSatisfy { !$0.image.appearance.phase.isLoading }
        }
        let end = fixture.tally
        fixture.glides(to: 0)
        fixture.waits { fixture.cells.allSatisfy { !$0.image.appearance.phase.isLoading } }
        return """
            ## The origin goes in mid-scroll

            rows kept: \(fixture.window.list.count) photos; another try of the next page is offered: \(fixture.window.footer.isOffering)
            on the screen at the end of them: \(end)
            on the screen back at the top: \(fixture.tally)

            """
    }

    private func plot(_ fitted: ScrollResult, _ stored: ScrollResult) -> FramePlot {
        func values(_ result: ScrollResult) -> [Double] {
            result.frames.map { $0.processorTime / .milliseconds(1) }
        }
        return FramePlot(
            title: "Main thread, processor time of each frame of a scroll through \(photoCount) photos", goal: 8,
            series: [
                FramePlot.Series(name: "as large as shown", color: "#1a6fb5", values: values(fitted)),
                FramePlot.Series(name: "as large as stored", color: "#c0392b", values: values(stored)),
            ])
    }
}

extension Fixture {
    /// Scrolls by some points a frame, as far as there is something.
    fileprivate func glides(to target: Double) {
        let list = window.list
        waits {
            let goal = min(max(0, target), list.largestOffset)
            let rest = goal - list.offset
            list.offset += rest > 0 ? min(rest, 40) : max(rest, -40)
            return abs(goal - list.offset) < 1
        }
    }

    /// What the cells on the screen show.
    fileprivate var tally: String {
        let numbers = NumberCheck()
        numbers.check(window)
        let failed = cells.count { $0.image.view.face == .failure }
        return "\(numbers.readCount) images, \(numbers.wrongCount) wrong, \(failed) failures with a button"
    }
}
