import Foundation
import ImageContractTesting
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// The rules that need access to the file system of the cache. `ContractTests` runs the others.
@Suite("The disk cache and the optional contract of DataCache")
struct OptionalContractTests {
    @Test("it obeys on a full device", arguments: DataCacheContract.fullStore)
    func fullDevice(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Fillable>) async throws {
        let folder = TestFolder()
        let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem())
        try await rule.check { limit in
            DataCacheContract.Fillable(cache: folder.cache(byteLimit: limit, fileSystem: fileSystem)) {
                $0 ? fileSystem.fail(.always, of: [.write], with: ENOSPC) : fileSystem.recover()
            }
        }
    }

    @Test("it obeys while its folder is blocked", arguments: DataCacheContract.threads)
    func threads(_ rule: ContractRule<DataCacheContract.Observable>) async throws {
        let folder = TestFolder()
        try await rule.check { limit, onAccess in
            // With a blocked folder, calls that refuse to wait report that they would wait.
            let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem(), refusesAtOnce: true) {
                _ throws(FileSystemFailure) in onAccess()
            }
            return folder.cache(byteLimit: limit, fileSystem: fileSystem)
        }
    }
}
