internal import GtkImageUI

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The same scroll with pictures of the size at which they are shown, and with pictures as they are stored; a report and a plot.
struct ScrollStudy {
    var folder: String
    var photoCount: Int

    /// What the memory cache may hold: less than all thumbnails of a thousand photos.
    private static let memoryByteLimit = 64_000_000

    /// Returns the report.
    func run() throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let origin = try OriginProcess(
            OriginProcess.besideThisProgram, options: ["--photos", "\(photoCount)", "--numbered", "--max-age", "86400"])
        defer { origin.stop() }
        let fitted = try scroll(origin, fits: true, passes: 2)
        let stored = try scroll(origin, fits: false, passes: 1)
        try plot(fitted, stored).svg.write(toFile: "\(folder)/frames.svg", atomically: true, encoding: .utf8)
        return
            "## Pictures as large as they are shown\n\n\(fitted.report)\n\n## Pictures as large as they are stored\n\n\(stored.report)\n"
    }

    private func scroll(_ origin: OriginProcess, fits: Bool, passes: Int) throws -> ScrollResult {
        let stage = try Stage(
            [], origin: origin, memoryByteLimit: Self.memoryByteLimit, fitsPicturesToCells: fits)
        defer { stage.close() }
        return try ScrollRun(stage, passes: passes).run(limit: 900)
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
