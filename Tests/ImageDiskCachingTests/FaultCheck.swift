import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import ImageDiskCaching

/// Runs a workload of all operations on a file system with a fault, ends the fault, and checks what is left.
struct FaultCheck {
    /// The calls that fail.
    enum FailingCalls: Sendable {
        case call(Int)
        case callsFrom(Int)
        case kind(FileSystem.Call)

        func fail(on fileSystem: FaultInjectingFileSystem, with code: Int32) {
            switch self {
            case .call(let number): fileSystem.fail(number...number, with: code)
            case .callsFrom(let number): fileSystem.fail(number...Int.max, with: code)
            case .kind(let kind): fileSystem.fail(of: [kind], with: code)
            }
        }
    }

    private let limits: WorkloadLimits
    private let code: Int32
    private let failingCalls: FailingCalls?
    private let folder = TestFolder()
    private let fileSystem: FaultInjectingFileSystem
    private var model: WorkloadModel

    /// - Parameters:
    ///   - failingCalls: The calls that fail, or nil for no fault.
    ///   - refusesCached: Whether nonblocking calls are refused.
    init(_ limits: WorkloadLimits, _ code: Int32, failingCalls: FailingCalls?, refusesCached: Bool = false) {
        self.limits = limits
        self.code = code
        self.failingCalls = failingCalls
        model = WorkloadModel(limits)
        fileSystem = FaultInjectingFileSystem { call in
            if refusesCached, call.operation == .openCached { throw FileSystemFailure(call: "open", code: EAGAIN) }
        }
    }

    /// Returns the calls that the workload made during the fault.
    func run() async throws -> [FileSystem.Call] {
        var check = self
        return try await check.check()
    }

    private mutating func check() async throws -> [FileSystem.Call] {
        try await prepare()
        let cache = cache(fileSystem.files)
        failingCalls?.fail(on: fileSystem, with: code)
        for step in WorkloadStep.scenario(limits) { try await attempt(step, on: cache) }
        let log = fileSystem.operations
        fileSystem.recover()
        let fault = fault(log)
        let byteCount = folder.totalByteCount()
        #expect(byteCount <= limits.byteLimit, "\(byteCount) bytes: \(fault)")
        if code == EIO, fault.hasSuffix(" read") || fault.hasSuffix(" readCached") {
            try await allowLosses(isSingle ? 1 : .max, cache)
        }
        try await expectIntact(cache, "the same cache after \(fault)")
        try await expectIntact(self.cache(FileSystem()), "a new cache after \(fault)")
        return log
    }

    /// Stores the entries of an earlier launch without a fault.
    private mutating func prepare() async throws {
        let earlier = cache(FileSystem())
        for step in WorkloadStep.earlier {
            model.begin(step)
            _ = try await step.run(on: earlier)
            model.end(step)
        }
    }

    private func cache(_ fileSystem: FileSystem) -> DiskDataCache {
        workloadCache(folder.path, limits, fileSystem)
    }

    private mutating func attempt(_ step: WorkloadStep, on cache: DiskDataCache) async throws {
        model.begin(step)
        if case .cancel(let number, _) = step, !isSingle { model.allowLoss(of: number) }
        do throws(DataCacheError) {
            let found = try await step.run(on: cache)
            // If the device fails to read an entry, the lookup is a miss.
            if let number = step.lookedUp, !(found == nil && code == EIO) {
                let isPossible = model.admits(found, of: number)
                #expect(isPossible, "\(model.text(number)): \(fault(fileSystem.operations))")
            }
            model.end(step)
        } catch {
            #expect(isExpected(error), "\(error): \(fault(fileSystem.operations))")
            // A permanent fault can prevent the removal of the older entry.
            guard isSingle else { return }
            switch step {
            case .store(let number, let version), .stream(let number, let version):
                model.forbidOlder(than: version, of: number)
            case .cancel(let number, _): model.allowLoss(of: number)
            default: break
            }
        }
    }

    private func isExpected(_ failure: DataCacheError) -> Bool {
        switch (code, failure) {
        case (ENOSPC, .noSpace), (EROFS, .inaccessible), (EACCES, .inaccessible), (EIO, .io), (EMFILE, .io): true
        default: false
        }
    }

    /// Allows up to `maxCount` missing entries. If the device fails to read an entry, it counts as damaged and is
    /// removed.
    private mutating func allowLosses(_ maxCount: Int, _ cache: DiskDataCache) async throws {
        var count = 0
        for number in 0..<WorkloadLimits.keyCount where count < maxCount && !model.allowsAbsence(of: number) {
            guard try await cache.entry(for: key(number)) == nil else { continue }
            model.allowLoss(of: number)
            count += 1
        }
    }

    /// Checks that entries are intact and that the cache works.
    private mutating func expectIntact(_ cache: DiskDataCache, _ fault: String) async throws {
        for number in 0..<WorkloadLimits.keyCount {
            let found = try await cache.entry(for: key(number))
            let isPossible = model.admits(found, of: number)
            #expect(isPossible, "\(model.text(number)): \(fault)")
        }
        let step = WorkloadStep.store(11, version: 5)
        model.begin(step)
        _ = try await step.run(on: cache)
        #expect(try await cache.entry(for: key(11)) == genuine(11, 5), "\(fault)")
        model.end(step)
        let report = try await cache.verify()
        #expect(report.unrepairedFiles.isEmpty && report.removedEntryCount == 0, "\(fault)")
        #expect(!folder.hasUnfinishedFiles, "\(fault)")
        let byteCount = folder.totalByteCount()
        #expect(byteCount <= limits.byteLimit, "\(byteCount) bytes: \(fault)")
    }

    private var isSingle: Bool { if case .call = failingCalls { true } else { false } }

    private func fault(_ log: [FileSystem.Call]) -> String {
        let text = unsafe String(cString: strerror(code))
        return switch failingCalls {
        case .call(let number):
            "\(text), \(limits), call \(number) \(log.indices.contains(number - 1) ? log[number - 1].rawValue : "")"
        case .callsFrom(let number): "\(text), \(limits), all calls from \(number)"
        case .kind(let kind): "\(text), \(limits), each \(kind)"
        case nil: "no fault, \(limits)"
        }
    }
}
