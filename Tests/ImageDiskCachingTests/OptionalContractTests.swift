import Foundation
import ImageContractTesting
import ImageCore
import ImageDiskCaching
import ImageTesting
import Testing

/// The rules that need to get between the cache and its files; `ContractTests` run the others.
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

    @Test("it obeys while its folder stands still", arguments: DataCacheContract.threads)
    func threads(_ rule: ContractRule<DataCacheContract.Observable>) async throws {
        let folder = TestFolder()
        try await rule.check { limit, onAccess in
            // A folder that stands still is one that calls which refuse to wait would have to wait for.
            let fileSystem = FaultInjectingFileSystem(over: POSIXFileSystem(), refusesAtOnce: true) {
                _ throws(FileSystemFailure) in onAccess()
            }
            return folder.cache(byteLimit: limit, fileSystem: fileSystem)
        }
    }
}
