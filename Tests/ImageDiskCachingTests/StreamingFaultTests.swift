import Foundation
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

@Suite("Failing system calls while an entry is streamed")
struct StreamingFaultTests {
    private static let pieces = [noise(300_000, seed: 1), noise(200_000, seed: 2)]
    private static let payload = pieces[0] + pieces[1]
    private static let limit = 720_000
    private static let older = entry(400_000)
    private static let otherEntry = entry(100_000)
    private static let later = entry(220_000)

    @Test(
        "if any call fails, entries are intact, the limit holds, no space is lost, and no repair is necessary",
        arguments: [ENOSPC, EMFILE])
    func anyCallFails(code: Int32) async throws {
        for number in 1...1_000 {
            let folder = TestFolder()
            try await folder.cache(byteLimit: Self.limit).store(Self.older, for: key(1))
            try await folder.cache(byteLimit: Self.limit).store(Self.otherEntry, for: key(2))
            let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem())
            fileSystem.fail(.call(number), with: code)
            let failure = await Self.stream(folder.cache(byteLimit: Self.limit, fileSystem: fileSystem))
            if fileSystem.log.count < number { return }
            let comment: Comment = "\(fileSystem.log[number - 1])"
            #expect(folder.byteCount() + folder.indexByteCount() <= Self.limit, comment)
            try await Self.expectIntact(folder, hasFailed: failure != nil, comment)
        }
        Issue.record("the scenario makes too many calls")
    }

    private static func stream(_ cache: DiskDataCache) async -> DataCacheFailure? {
        do {
            let writer = try await cache.writer(for: key(1), expectedByteCount: payload.count)
            for piece in pieces { try await writer.append(piece) }
            try await writer.finish(metadata: Data(), createdAt: testTime)
            return nil
        } catch {
            return error
        }
    }

    private static func expectIntact(_ folder: TestFolder, hasFailed: Bool, _ comment: Comment) async throws {
        let cache = folder.cache(byteLimit: limit)
        let found = try await cache.entry(for: key(1))
        if !hasFailed { #expect(found?.data == payload, comment) }
        #expect(found == nil || found?.data == payload || found == older, comment)
        #expect([nil, otherEntry].contains(try await cache.entry(for: key(2))), comment)
        #expect(try await cache.verify().damagedRemoved == 0, comment)
        #expect(try await cache.status().byteCount == folder.byteCount(), comment)
        #expect(!folder.hasUnfinishedFiles, comment)
        // All space is available again.
        try await cache.removeAll()
        for number in 3...5 { try await cache.store(later, for: key(number)) }
        #expect(try await cache.status().entryCount == 3, comment)
    }
}
