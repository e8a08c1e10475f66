internal import FeedOrigin
internal import ImagePresenting
internal import ImagePresentingGTK

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Takes screenshots of the app in several states, which it causes with options of the demo server.
struct Screenshots {
    /// An error while taking screenshots.
    enum Failure: Error {
        /// A state was not reached in time. The value is its name.
        case notReached(String)
        /// A file could not be written. The value is its path.
        case notWritten(String)
    }

    private let folder: String

    /// Creates the folder if necessary.
    init(folder: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Takes all screenshots.
    func take() throws {
        try loading()
        try loaded()
        try failures()
        try slow()
        try outage()
        try offline()
    }

    /// A server with a high latency.
    private func loading() throws {
        let fixture = try Fixture(DemoOrigin(photos: 60, network: NetworkDefaults(latency: .milliseconds(1500))))
        defer { fixture.close() }
        try open(fixture) { !fixture.cells.isEmpty && fixture.cells.allSatisfy { $0.image.appearance.phase.isLoading } }
        fixture.run(for: .milliseconds(500))
        try save(fixture, "loading")
    }

    /// The feed as a grid, with the inspector, in the dark theme, with a full image, and as a list.
    private func loaded() throws {
        let fixture = try Fixture(DemoOrigin(photos: 60))
        defer { fixture.close() }
        try open(fixture) { fixture.isSettled }
        try save(fixture, "loaded")
        fixture.window.bar.toggleInspector()
        fixture.run(for: .seconds(1))
        try save(fixture, "inspector")
        fixture.window.bar.toggleInspector()
        try dark(fixture)
        try inFull(fixture)
        fixture.window.bar.choose(.list)
        try reach(fixture, "list") { fixture.isSettled }
        try save(fixture, "list")
    }

    private func dark(_ fixture: Fixture) throws {
        Theme.isDark = true
        defer { Theme.isDark = false }
        fixture.run(for: .milliseconds(500))
        try save(fixture, "dark")
    }

    private func inFull(_ fixture: Fixture) throws {
        fixture.window.list.activate(0)
        try reach(fixture, "full") {
            let cell = fixture.window.full.cell
            return cell?.appearance.kind == .final && cell?.isCrossfading == false
        }
        try save(fixture, "full")
        fixture.window.closeImage()
    }

    /// A server that fails for most images.
    private func failures() throws {
        let fixture = try Fixture(
            DemoOrigin(photos: 60, network: NetworkDefaults(failureRate: 0.6, faults: [.status(503), .reset])))
        defer { fixture.close() }
        try open(fixture) {
            !fixture.cells.isEmpty && fixture.cells.allSatisfy { !$0.image.appearance.phase.isLoading }
        }
        fixture.run(for: .milliseconds(400))
        try save(fixture, "failure")
    }

    /// A network of a few kilobytes per second: progress bars.
    private func slow() throws {
        let fixture = try Fixture(DemoOrigin(photos: 60, network: NetworkDefaults(bandwidth: 5000)))
        defer { fixture.close() }
        try open(fixture) { fixture.cells.contains { $0.image.showsProgress } }
        fixture.run(for: .milliseconds(700))
        try save(fixture, "slow")
    }

    /// A server that has stopped: the loaded photos stay, and the next page can be retried.
    private func outage() throws {
        let fixture = try Fixture(DemoOrigin(photos: 200))
        defer { fixture.close() }
        try open(fixture) { fixture.isSettled }
        fixture.origin.stop()
        try reach(fixture, "outage") {
            fixture.window.list.offset = fixture.window.list.largestOffset
            return fixture.window.footer.offersRetry
        }
        fixture.run(for: .seconds(1))
        try save(fixture, "outage")
    }

    /// No server from the start, with the disk cache of an earlier run.
    private func offline() throws {
        let cache = Fixture.temporaryFolder()
        defer { try? FileManager.default.removeItem(at: cache) }
        let before = try Fixture(DemoOrigin(photos: 60), cacheDirectory: cache)
        try open(before) { before.isSettled }
        before.close()
        let fixture = try Fixture(before.origin, cacheDirectory: cache)
        defer { fixture.close() }
        try open(fixture) { fixture.isSettled }
        fixture.window.bar.toggleInspector()
        fixture.run(for: .seconds(1))
        try save(fixture, "offline")
    }

    // MARK: Steps

    private func open(_ fixture: Fixture, until isReached: () -> Bool) throws {
        fixture.window.open()
        try reach(fixture, "first images", isReached)
    }

    private func reach(_ fixture: Fixture, _ name: String, _ isReached: () -> Bool) throws {
        guard fixture.waitUntil(isReached) else { throw Failure.notReached(name) }
    }

    private func save(_ fixture: Fixture, _ name: String) throws {
        let path = "\(folder)/\(name).png"
        // A snapshot fails while the layout is invalid.
        guard fixture.waitUntil({ saveSnapshot(of: fixture.window.window, to: path) }) else {
            throw Failure.notWritten(path)
        }
    }
}
