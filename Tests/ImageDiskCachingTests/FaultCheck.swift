import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// Runs a workload of all operations over a file system with a fault, lets the fault pass, and looks at what is left.
struct FaultCheck {
    /// Which calls fail.
    enum Reach: Sendable {
        case call(Int)
        case callsFrom(Int)
        case kind(FileSystemOperation)

        func fail(on fileSystem: FaultInjectingFileSystem, with code: Int32) {
            switch self {
            case .call(let number): fileSystem.fail(.call(number), with: code)
            case .callsFrom(let number): fileSystem.fail(.from(number), with: code)
            case .kind(let kind): fileSystem.fail(.always, of: [kind], with: code)
            }
        }
    }

    private let limits: WorkloadLimits
    private let code: Int32
    private let reach: Reach?
    private let disk: WorkloadDisk
    private let fileSystem: FaultInjectingFileSystem
    private var model: WorkloadModel

    /// - Parameters:
    ///   - reach: nil for no fault.
    ///   - refusesAtOnce: see `FaultInjectingFileSystem`.
    init(
        _ limits: WorkloadLimits, _ code: Int32, reach: Reach?, on disk: WorkloadDisk, refusesAtOnce: Bool = false
    ) {
        (self.limits, self.code, self.reach, self.disk) = (limits, code, reach, disk)
        model = WorkloadModel(limits)
        fileSystem = FaultInjectingFileSystem(over: disk.fileSystem, refusesAtOnce: refusesAtOnce)
    }

    /// Returns the calls that the workload made while the fault lasted.
    func run() async throws -> [FileSystemOperation] {
        var check = self
        return try await check.examine()
    }

    private mutating func examine() async throws -> [FileSystemOperation] {
        try await prepare()
        let cache = cache(fileSystem)
        reach?.fail(on: fileSystem, with: code)
        for step in WorkloadStep.scenario(limits) { try await attempt(step, on: cache) }
        let log = fileSystem.operations
        fileSystem.recover()
        let slot = slot(log)
        let byteCount = disk.byteCount
        #expect(byteCount <= limits.byteLimit, "\(byteCount) bytes: \(slot)")
        if code == EIO, slot.hasSuffix(" read") || slot.hasSuffix(" readAtOnce") {
            try await allowLosses(isSingle ? 1 : .max, cache)
        }
        try await expectSound(cache, "the same cache after \(slot)")
        try await expectSound(self.cache(disk.fileSystem), "a new cache after \(slot)")
        return log
    }

    /// Entries of an earlier launch, which met no fault.
    private mutating func prepare() async throws {
        let earlier = cache(disk.fileSystem)
        for step in WorkloadStep.earlier {
            model.begin(step)
            _ = try await step.run(on: earlier)
            model.end(step)
        }
    }

    private func cache(_ fileSystem: any FileSystem) -> DiskDataCache {
        workloadCache(disk.root, limits, .powerLoss, fileSystem)
    }

    private mutating func attempt(_ step: WorkloadStep, on cache: DiskDataCache) async throws {
        model.begin(step)
        if case .abandon(let number, _) = step, !isSingle { model.allowLoss(of: number) }
        do throws(DataCacheFailure) {
            let found = try await step.run(on: cache)
            // What the device can't deliver is a miss.
            if let number = step.lookedUp, !(found == nil && code == EIO) {
                let isAdmitted = model.admits(found, of: number)
                #expect(isAdmitted, "\(model.text(number)): \(slot(fileSystem.operations))")
            }
            model.end(step)
        } catch {
            #expect(isExpected(error), "\(error): \(slot(fileSystem.operations))")
            // A fault that lasts may keep the older entry from being removed.
            guard isSingle else { return }
            switch step {
            case .store(let number, let version), .stream(let number, let version):
                model.forbidOlder(than: version, of: number)
            case .abandon(let number, _): model.allowLoss(of: number)
            default: break
            }
        }
    }

    private func isExpected(_ failure: DataCacheFailure) -> Bool {
        switch (code, failure) {
        case (ENOSPC, .noSpace), (EROFS, .inaccessible), (EACCES, .inaccessible), (EIO, .io), (EMFILE, .io): true
        default: false
        }
    }

    /// An entry whose bytes the device would not deliver is as good as damaged, and gone.
    private mutating func allowLosses(_ most: Int, _ cache: DiskDataCache) async throws {
        var count = 0
        for number in 0..<WorkloadLimits.keyCount where count < most && !model.allowsAbsence(of: number) {
            guard try await cache.entry(for: key(number)) == nil else { continue }
            model.allowLoss(of: number)
            count += 1
        }
    }

    /// What may be there is there, whole, and the cache works like any other.
    private mutating func expectSound(_ cache: DiskDataCache, _ slot: String) async throws {
        for number in 0..<WorkloadLimits.keyCount {
            let found = try await cache.entry(for: key(number))
            let isAdmitted = model.admits(found, of: number)
            #expect(isAdmitted, "\(model.text(number)): \(slot)")
        }
        let step = WorkloadStep.store(11, version: 5)
        model.begin(step)
        _ = try await step.run(on: cache)
        #expect(try await cache.entry(for: key(11)) == genuine(11, 5), "\(slot)")
        model.end(step)
        let report = try await cache.verify()
        #expect(report.isSound && report.damagedRemoved == 0, "\(slot)")
        #expect(!disk.hasUnfinishedFiles, "\(slot)")
        let byteCount = disk.byteCount
        #expect(byteCount <= limits.byteLimit, "\(byteCount) bytes: \(slot)")
    }

    private var isSingle: Bool { if case .call = reach { true } else { false } }

    private func slot(_ log: [FileSystemOperation]) -> String {
        let text = unsafe String(cString: strerror(code))
        return switch reach {
        case .call(let number):
            "\(text), \(limits), call \(number) \(log.indices.contains(number - 1) ? log[number - 1].rawValue : "")"
        case .callsFrom(let number): "\(text), \(limits), all calls from \(number)"
        case .kind(let kind): "\(text), \(limits), each \(kind)"
        case nil: "no fault, \(limits)"
        }
    }
}

/// Where a workload's cache has its folder.
enum WorkloadDisk {
    static let simulatedRoot = "/caches/images"

    case real(TestFolder)
    case simulated(SimulatedDisk)

    var fileSystem: any FileSystem {
        switch self {
        case .real: POSIXFileSystem()
        case .simulated(let disk): disk
        }
    }

    var root: String {
        switch self {
        case .real(let folder): folder.path
        case .simulated: Self.simulatedRoot
        }
    }

    /// Of all files, the index too.
    var byteCount: Int {
        switch self {
        case .real(let folder): FolderSample(folder.path).byteCount
        case .simulated(let disk): disk.byteCount
        }
    }

    var hasUnfinishedFiles: Bool {
        switch self {
        case .real(let folder): folder.hasUnfinishedFiles
        case .simulated(let disk): disk.paths.contains { $0.hasPrefix("\(root)/tmp/") }
        }
    }
}
