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
        let fixture = try Fixture(["--photos", "60", "--latency", "1500"])
        defer { fixture.close() }
        try open(fixture) { !fixture.cells.isEmpty && fixture.cells.allSatisfy { $0.image.appearance.phase.isLoading } }
        fixture.runs(for: .milliseconds(500))
        try save(fixture, "loading")
    }

    /// The feed as a grid, in the dark, as a list, with the inspector, and one image in full.
    private func loaded() throws {
        let fixture = try Fixture(["--photos", "60"])
        defer { fixture.close() }
        try open(fixture) { fixture.isSettled }
        try save(fixture, "loaded")
        fixture.window.bar.toggleInspector()
        fixture.runs(for: .seconds(1))
        try save(fixture, "inspector")
        fixture.window.bar.toggleInspector()
        try dark(fixture)
        try inFull(fixture)
        fixture.window.bar.choose(.list)
        try reach(fixture, "list") { fixture.isSettled }
        try save(fixture, "list")
    }

    private func dark(_ fixture: Fixture) throws {
        DesktopSettings.isDark = true
        defer { DesktopSettings.isDark = false }
        fixture.runs(for: .milliseconds(500))
        try save(fixture, "dark")
    }

    private func inFull(_ fixture: Fixture) throws {
        fixture.window.list.activate(0)
        try reach(fixture, "full") {
            let cell = fixture.window.full.cell
            return cell?.appearance.kind == .final && cell?.view.isCrossfading == false
        }
        try save(fixture, "full")
        fixture.window.closeImage()
    }

    /// An origin that fails for most images.
    private func failures() throws {
        let fixture = try Fixture([
            "--photos", "60", "--failure-rate", "0.6", "--fault", "status=503", "--fault", "reset",
        ])
        defer { fixture.close() }
        try open(fixture) {
            !fixture.cells.isEmpty && fixture.cells.allSatisfy { !$0.image.appearance.phase.isLoading }
        }
        fixture.runs(for: .milliseconds(400))
        try save(fixture, "failure")
    }

    /// A network of a few kilobytes a second: bars, and previews in the grid.
    private func slow() throws {
        let fixture = try Fixture(["--photos", "60", "--bandwidth", "5000"])
        defer { fixture.close() }
        try open(fixture) { fixture.cells.contains { $0.image.view.showsProgress } }
        fixture.runs(for: .milliseconds(700))
        try save(fixture, "slow")
    }

    /// An origin that is gone: what was loaded stays, the next page can be tried again.
    private func outage() throws {
        let fixture = try Fixture(["--photos", "200"])
        defer { fixture.close() }
        try open(fixture) { fixture.isSettled }
        fixture.origin.stop()
        try reach(fixture, "outage") {
            fixture.window.list.offset = fixture.window.list.largestOffset
            return fixture.window.footer.isOffering
        }
        fixture.runs(for: .seconds(1))
        try save(fixture, "outage")
    }

    /// No origin from the beginning, and what the time before has left on disk.
    private func offline() throws {
        let cache = Fixture.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: cache) }
        let before = try Fixture(["--photos", "60"], cacheDirectory: cache)
        try open(before) { before.isSettled }
        before.close()
        before.origin.stop()
        let fixture = try Fixture([], origin: before.origin, cacheDirectory: cache)
        defer { fixture.close() }
        try open(fixture) { fixture.isSettled }
        fixture.window.bar.toggleInspector()
        fixture.runs(for: .seconds(1))
        try save(fixture, "offline")
    }

    // MARK: Steps

    private func open(_ fixture: Fixture, until isReached: () -> Bool) throws {
        fixture.window.open()
        try reach(fixture, "first images", isReached)
    }

    private func reach(_ fixture: Fixture, _ name: String, _ isReached: () -> Bool) throws {
        guard fixture.waits(isReached) else { throw Failure.notReached(name) }
    }

    private func save(_ fixture: Fixture, _ name: String) throws {
        let path = "\(folder)/\(name).png"
        // There is nothing to draw while the layout is being made anew.
        guard fixture.waits({ saveSnapshot(of: fixture.window.window, to: path) }) else {
            throw Failure.notWritten(path)
        }
    }
}
