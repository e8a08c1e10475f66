import Foundation
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@testable import ImageDiskCaching

/// Runs the rules that need access to the file system of the cache. `ContractTests` runs the other rules.
@Suite("Optional rules of DataCacheContract")
struct OptionalContractTests {
    @Test("the disk cache obeys the rules for a full device", arguments: DataCacheContract.fullStore)
    func fullDevice(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Fillable>) async throws {
        let folder = TestFolder()
        let fileSystem = FaultInjectingFileSystem()
        try await rule.check { limit in
            DataCacheContract.Fillable(cache: folder.cache(byteLimit: limit, fileSystem: fileSystem.files)) {
                $0 ? fileSystem.fail(of: [.write], with: ENOSPC) : fileSystem.recover()
            }
        }
    }

    @Test("the disk cache obeys the rules for interrupted writes", arguments: DataCacheContract.interruption)
    func interruption(_ rule: ContractRule<@Sendable () async throws -> DataCacheContract.Interruptible>) async throws {
        try await rule.check {
            let folder = TestFolder()
            let fileSystem = FaultInjectingFileSystem()
            let changes: Set<FileSystem.Call> = [
                .create, .write, .writeRest, .truncate, .rename, .remove, .setModified,
            ]
            return DataCacheContract.Interruptible(
                open: { folder.cache(byteLimit: 10_000_000, fileSystem: fileSystem.files) },
                failWrites: { count in
                    if let count {
                        fileSystem.fail((count + 1)...Int.max, of: changes, with: EIO)
                    } else {
                        fileSystem.recover()
                    }
                })
        }
    }

    @Test("the disk cache obeys the rules for a blocked folder", arguments: DataCacheContract.threads)
    func threads(_ rule: ContractRule<DataCacheContract.Observable>) async throws {
        let folder = TestFolder()
        try await rule.check { limit, onAccess in
            // If the folder is blocked, non-blocking calls return nil.
            return folder.cache(byteLimit: limit, fileSystem: coldFiles(onAccess))
        }
    }
}
