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
        try viewer()
        try failures()
        try slow()
        try outage()
        try offline()
        try unreachable()
    }

    /// A server with a high latency.
    private func loading() throws {
        let fixture = try Fixture(DemoOrigin(photos: 60, network: NetworkDefaults(latency: .milliseconds(1500))))
        defer { fixture.close() }
        try open(fixture) { !fixture.cells.isEmpty && fixture.cells.allSatisfy { $0.image.appearance.phase.isLoading } }
        fixture.run(for: .milliseconds(500))
        try save(fixture, "loading")
    }

    /// The feed from a narrow to a wide window, in the light and the dark theme, with statistics, and as a list.
    private func loaded() throws {
        let fixture = try Fixture(DemoOrigin(photos: 200))
        defer { fixture.close() }
        try open(fixture) { fixture.isSettled }
        try saveSizes(fixture, "feed")
        fixture.window.panel.isOpen = true
        try settle(fixture)
        try saveSizes(fixture, "statistics")
        fixture.window.panel.isOpen = false
        fixture.window.bar.choose(.list)
        try settle(fixture)
        try saveSizes(fixture, "list")
    }

    /// A photo as a whole, zoomed in, and with its details.
    private func viewer() throws {
        let fixture = try Fixture(DemoOrigin(photos: 60))
        defer { fixture.close() }
        try open(fixture) { fixture.isSettled }
        fixture.window.list.activate(3)
        try settle(fixture)
        try saveSizes(fixture, "photo")
        fixture.window.panel.isOpen = true
        try settle(fixture)
        try saveSizes(fixture, "details")
        fixture.window.panel.isOpen = false
        for _ in 0..<3 { fixture.window.viewer.image.zoom(by: 2) }
        try settle(fixture)
        try save(fixture, "zoomed")
        fixture.window.showShortcuts()
        try settle(fixture)
        try save(fixture, "shortcuts", of: fixture.window.shortcuts)
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
        fixture.window.panel.isOpen = true
        try settle(fixture)
        try save(fixture, "offline")
    }

    /// No server, and nothing in the disk cache.
    private func unreachable() throws {
        let fixture = try Fixture(DemoOrigin(photos: 1))
        defer { fixture.close() }
        fixture.origin.stop()
        try open(fixture) { fixture.window.shownPage == FeedWindow.Page.failure }
        fixture.run(for: .milliseconds(400))
        try save(fixture, "unreachable")
    }

    // MARK: Steps

    private func open(_ fixture: Fixture, until isReached: () -> Bool) throws {
        fixture.window.open()
        try reach(fixture, "first images", isReached)
    }

    private func reach(_ fixture: Fixture, _ name: String, _ isReached: () -> Bool) throws {
        guard fixture.waitUntil(isReached) else { throw Failure.notReached(name) }
    }

    /// Waits until nothing moves.
    private func settle(_ fixture: Fixture) throws {
        fixture.run(for: .milliseconds(600))
        try reach(fixture, "settled") { fixture.isSettled && !fixture.window.panel.isMoving }
    }

    /// Saves the window at several widths, in the light and the dark theme.
    private func saveSizes(_ fixture: Fixture, _ name: String) throws {
        for (width, height) in [(360, 640), (420, 700), (1600, 1000), (900, 700)] {
            fixture.window.resize(width: width, height: height)
            for isDark in [false, true] {
                Theme.isAlwaysDark = isDark
                try settle(fixture)
                try save(fixture, "\(name)-\(width)\(isDark ? "-dark" : "")")
            }
        }
        Theme.isAlwaysDark = false
    }

    private func save(_ fixture: Fixture, _ name: String, of widget: GtkWidgetRef? = nil) throws {
        let path = "\(folder)/\(name).png"
        // A snapshot fails while the layout is invalid.
        guard fixture.waitUntil({ saveSnapshot(of: widget ?? fixture.window.window, to: path) }) else {
            throw Failure.notWritten(path)
        }
    }
}
