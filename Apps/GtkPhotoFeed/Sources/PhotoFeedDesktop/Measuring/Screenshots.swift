internal import GtkImageUI
internal import ImagePresenting

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The program's images of itself, each of a state that the origin is told to bring about.
public struct Screenshots {
    public enum Failure: Error {
        /// The state did not come about in time.
        case notReached(String)
        case notWritten(String)
    }

    private let folder: String

    /// - Parameter folder: made if it is not there.
    public init(folder: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Takes them all.
    public func take() throws {
        try loading()
        try loaded()
        try failures()
        try slow()
        try outage()
        try offline()
    }

    /// Images that take long to begin.
    private func loading() throws {
        let stage = try Stage(["--photos", "60", "--latency", "1500"])
        defer { stage.close() }
        try open(stage) { !stage.cells.isEmpty && stage.cells.allSatisfy { $0.image.appearance.phase.isLoading } }
        stage.runs(for: .milliseconds(500))
        try save(stage, "loading")
    }

    /// The feed as a grid, in the dark, as a list, with the inspector, and one image in full.
    private func loaded() throws {
        let stage = try Stage(["--photos", "60"])
        defer { stage.close() }
        try open(stage) { stage.isSettled }
        try save(stage, "loaded")
        stage.window.bar.toggleInspector()
        stage.runs(for: .seconds(1))
        try save(stage, "inspector")
        stage.window.bar.toggleInspector()
        try dark(stage)
        try inFull(stage)
        stage.window.bar.choose(.list)
        try reach(stage, "list") { stage.isSettled }
        try save(stage, "list")
    }

    private func dark(_ stage: Stage) throws {
        DesktopSettings.isDark = true
        defer { DesktopSettings.isDark = false }
        stage.runs(for: .milliseconds(500))
        try save(stage, "dark")
    }

    private func inFull(_ stage: Stage) throws {
        stage.window.list.activate(0)
        try reach(stage, "full") {
            let cell = stage.window.full.cell
            return cell?.appearance.kind == .final && cell?.view.isCrossfading == false
        }
        try save(stage, "full")
        stage.window.closeImage()
    }

    /// An origin that fails for most images.
    private func failures() throws {
        let stage = try Stage(["--photos", "60", "--failure-rate", "0.6", "--fault", "status=503", "--fault", "reset"])
        defer { stage.close() }
        try open(stage) {
            !stage.cells.isEmpty && stage.cells.allSatisfy { !$0.image.appearance.phase.isLoading }
        }
        stage.runs(for: .milliseconds(400))
        try save(stage, "failure")
    }

    /// A network of a few kilobytes a second: bars, and previews in the grid.
    private func slow() throws {
        let stage = try Stage(["--photos", "60", "--bandwidth", "5000"])
        defer { stage.close() }
        try open(stage) { stage.cells.contains { $0.image.view.showsProgress } }
        stage.runs(for: .milliseconds(700))
        try save(stage, "slow")
    }

    /// An origin that is gone: what was loaded stays, the next page can be tried again.
    private func outage() throws {
        let stage = try Stage(["--photos", "200"])
        defer { stage.close() }
        try open(stage) { stage.isSettled }
        stage.origin.stop()
        try reach(stage, "outage") {
            stage.window.list.offset = stage.window.list.largestOffset
            return stage.window.footer.isOffering
        }
        stage.runs(for: .seconds(1))
        try save(stage, "outage")
    }

    /// No origin from the beginning, and what the time before has left on disk.
    private func offline() throws {
        let cache = Stage.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: cache) }
        let before = try Stage(["--photos", "60"], cacheDirectory: cache)
        try open(before) { before.isSettled }
        before.close()
        before.origin.stop()
        let stage = try Stage([], origin: before.origin, cacheDirectory: cache)
        defer { stage.close() }
        try open(stage) { stage.isSettled }
        stage.window.bar.toggleInspector()
        stage.runs(for: .seconds(1))
        try save(stage, "offline")
    }

    // MARK: Steps

    private func open(_ stage: Stage, until isReached: () -> Bool) throws {
        stage.window.open()
        try reach(stage, "first images", isReached)
    }

    private func reach(_ stage: Stage, _ name: String, _ isReached: () -> Bool) throws {
        guard stage.waits(isReached) else { throw Failure.notReached(name) }
    }

    private func save(_ stage: Stage, _ name: String) throws {
        let path = "\(folder)/\(name).png"
        // There is nothing to draw while the layout is being made anew.
        guard stage.waits({ saveSnapshot(of: stage.window.window, to: path) }) else { throw Failure.notWritten(path) }
    }
}
