import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization
import Testing

/// Runs processes that use one folder at the same time, while another process measures its size.
///
/// `Scripts/crash-campaign` sets the duration. A short form runs with all other tests.
@Suite("Disk cache in several processes at once", .serialized)
struct SharedFolderTests {
    private static let limits = WorkloadLimits.scarce
    private static let seconds = ProcessInfo.processInfo.environment["CRASH_CAMPAIGN_SECONDS"].flatMap(Double.init) ?? 1

    @Test("four processes that constantly use one folder find intact entries and never exceed the limit")
    func useConstantly() async throws {
        let folder = TestFolder()
        let watch = SizeWatch(folder.path)
        await withTaskGroup { group in
            for seed in 1...4 {
                group.addTask { [path = folder.path, seconds = Self.seconds] in
                    await #expect(processExitsWith: .success) {
                        [path = path as String, seed = seed as Int, seconds = seconds as Double] in
                        try await Self.useConstantly(path, seed: UInt64(seed), seconds: seconds)
                    }
                }
            }
        }
        let sizes = watch.end()
        #expect(sizes.most <= Self.limits.byteLimit, "at one of \(sizes.count) samples")
        try await Self.expectIntact(folder)
        print(
            "four processes, one folder: \(sizes.count) samples, at most \(sizes.most) of \(Self.limits.byteLimit) bytes"
        )
    }

    @Test("killed processes don't prevent another one from continuing")
    func killedBesideOthers() async throws {
        let folder = TestFolder()
        let path = folder.path
        let watch = SizeWatch(path)
        let marker = path + ".continue"
        try Data().write(to: URL(filePath: marker))
        async let survivor = #expect(processExitsWith: .success) { [path = path as String, marker = marker as String] in
            try await Self.useAtRandom(workloadCache(path, Self.limits), seed: 1) {
                FileManager.default.fileExists(atPath: marker)
            }
        }
        for seed in 0..<4 {
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, seed = seed as Int] in
                let fileSystem = KillTime(seed: UInt64(seed)).fileSystem().files
                let cache = workloadCache(path, Self.limits, fileSystem)
                try await Self.useAtRandom(cache, seed: UInt64(seed)) { true }
            }
        }
        try FileManager.default.removeItem(atPath: marker)
        _ = await survivor
        let sizes = watch.end()
        #expect(sizes.most <= Self.limits.byteLimit, "at one of \(sizes.count) samples")
        try await Self.expectIntact(folder)
    }

    private static func useConstantly(_ path: String, seed: UInt64, seconds: Double) async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        try await useAtRandom(workloadCache(path, limits), seed: seed) { clock.now < end }
    }

    /// Uses a cache whose folder other processes use too. Checks that entries are intact and belong to their keys.
    private static func useAtRandom(_ cache: DiskDataCache, seed: UInt64, while shouldContinue: () -> Bool) async throws
    {
        var random = SeededRandom(seed: seed)
        while shouldContinue() {
            let step = WorkloadStep(version: Int.random(in: 0..<20, using: &random), limits, &random)
            let found = try await step.run(on: cache)
            if let number = step.lookedUp { try #require(isGenuine(found, number), "\(step)") }
        }
    }

    private static func expectIntact(_ folder: TestFolder) async throws {
        let report = try await workloadCache(folder.path, limits).verify()
        #expect(report.unrepairedFiles.isEmpty && report.removedEntryCount == 0)
        #expect(!folder.hasUnfinishedFiles)
        #expect(FolderSample(folder.path).isWithin(limits))
    }
}

/// Measures a folder repeatedly on its own thread.
private final class SizeWatch: Sendable {
    private struct State {
        var sizes = (count: 0, most: 0)
        var isStopped = false
    }

    private let state = Mutex(State())

    init(_ path: String) {
        Thread.detachNewThread { [self] in
            while state.withLock({ !$0.isStopped }) {
                let size = FolderSample(path).byteCount
                state.withLock { $0.sizes = ($0.sizes.count + 1, max($0.sizes.most, size)) }
            }
        }
    }

    /// Stops, and returns the number of samples and the largest one.
    func end() -> (count: Int, most: Int) {
        state.withLock { state in
            state.isStopped = true
            return state.sizes
        }
    }
}
