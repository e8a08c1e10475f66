import Foundation
import ImageContractTesting
import ImageCore
import ImageDiskCaching
import Testing

/// The rules that need to get between the cache and its files; `ContractTests` run the others.
@Suite("The disk cache and the optional contract of DataCache")
struct OptionalContractTests {
    @Test("it obeys on a full device", arguments: DataCacheContract.fullStore)
    func fullDevice(_ rule: ContractRule<@Sendable (Int) async throws -> DataCacheContract.Fillable>) async throws {
        let folder = TestFolder()
        let isFull = Flag()
        let fileSystem = InterceptedFileSystem { _, call throws(FileSystemFailure) in
            if isFull.value, call == "write" { throw FileSystemFailure(call: call, code: ENOSPC) }
        }
        try await rule.check { limit in
            DataCacheContract.Fillable(cache: folder.cache(byteLimit: limit, fileSystem: fileSystem)) {
                isFull.value = $0
            }
        }
    }

    @Test("it obeys while its folder stands still", arguments: DataCacheContract.threads)
    func threads(_ rule: ContractRule<DataCacheContract.Observable>) async throws {
        let folder = TestFolder()
        try await rule.check { limit, onAccess in
            // A folder that stands still is one that calls which refuse to wait would have to wait for.
            let fileSystem = InterceptedFileSystem(refusesAtOnce: true) { _, _ throws(FileSystemFailure) in onAccess() }
            return folder.cache(byteLimit: limit, fileSystem: fileSystem)
        }
    }
}
