import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Synchronization
import Testing

@Suite("Several caches on one folder")
struct SharingTests {
    private let folder = TestFolder()

    @Test("the limit holds for all caches together at every system call, and each finds the entries of the others")
    func holdsLimitTogether() async throws {
        let limit = 9_000
        let folder = folder
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call throws(FileSystemFailure) in
            let byteCount = folder.byteCount() + folder.indexByteCount()
            if byteCount > limit { Issue.record("\(byteCount) bytes before \(call)") }
        }
        let caches = (0..<3).map { _ in folder.cache(byteLimit: limit, fileSystem: fileSystem) }
        for step in 0..<60 {
            let stored = entry(500 + step * 731 % 2_000, seed: UInt64(step))
            try await caches[step % 3].store(stored, for: key(step % 11))
            #expect(try await caches[(step + 1) % 3].entry(for: key(step % 11)) == stored)
        }
        let counts = [
            try await caches[0].status().byteCount, try await caches[1].status().byteCount,
            try await caches[2].status().byteCount,
        ]
        #expect(Set(counts) == [folder.byteCount()])
    }

    @Test("uses in one cache determine the eviction order in another")
    func sharesUses() async throws {
        let limit = limit(3, files: 3 * fileSize(entry(500), key(1)))
        let first = folder.cache(byteLimit: limit)
        let second = folder.cache(byteLimit: limit)
        for number in 1...3 { try await first.store(entry(500), for: key(number)) }
        _ = try await second.status()
        _ = try await first.entry(for: key(1))
        try await first.flush()
        try await second.store(entry(500), for: key(4))
        #expect(try await second.entry(for: key(1)) != nil)
        #expect(try await second.entry(for: key(2)) == nil)
    }

    @Test("other caches can't use the space that is reserved for a stream")
    func keepsReservations() async throws {
        let limit = 920_000
        let folder = folder
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call throws(FileSystemFailure) in
            let byteCount = folder.byteCount() + folder.indexByteCount()
            if byteCount > limit { Issue.record("\(byteCount) bytes before \(call)") }
        }
        let (first, second) = (folder.cache(byteLimit: limit), folder.cache(byteLimit: limit, fileSystem: fileSystem))
        let piece = noise(300_000, seed: 1)
        let writer = try await first.writer(for: key(1), expectedByteCount: 600_000)
        try await writer.append(piece)
        let small = entry(90_000)
        for number in 2...8 { try await second.store(small, for: key(number)) }
        #expect(try await second.status().entryCount == 3, "the reserved space is not available")
        try await writer.append(piece)
        for number in 9...12 { try await second.store(small, for: key(number)) }
        try await writer.finish(metadata: Data(), createdAt: testTime)
        #expect(try await second.entry(for: key(1))?.data == piece + piece)
        #expect(folder.byteCount() + folder.indexByteCount() <= limit)
        await #expect(throws: DataCacheFailure.noSpace) {
            let writer = try await first.writer(for: key(1), expectedByteCount: 800_000)
            defer { withExtendedLifetime(writer) {} }
            try await second.store(entry(200_000), for: key(2))
        }
    }

    @Test("a new file that another cache removes as stale before it is locked is created again")
    func recreatesStaleFile() async throws {
        let folder = folder
        let isDone = Flag()
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem()) { call throws(FileSystemFailure) in
            guard call.operation == .lock, !isDone.value else { return }
            isDone.value = true
            for file in folder.files() where file.hasPrefix("tmp/") {
                try POSIXFileSystem().remove("\(folder.path)/\(file)")
            }
        }
        try await folder.cache(durability: .data, fileSystem: fileSystem).store(entry(100), for: key(1))
        #expect(isDone.value)
        #expect(try await folder.cache().entry(for: key(1)) == entry(100))
    }

    @Test("the lock is never held for more than 16 evictions")
    func evictsInSteps() async throws {
        let cache = folder.cache()
        for number in 1...100 { try await cache.store(entry(100), for: key(number)) }
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem())
        let second = folder.cache(fileSystem: fileSystem)
        #expect(try await second.trim(to: 0).entryCount == 100)
        let steps = fileSystem.operations.split(separator: .waitForLock).map { $0.filter { $0 == .remove }.count }
        #expect(steps.max() == 16)
        #expect(steps.reduce(0, +) == 100)
    }
}
