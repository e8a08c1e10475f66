import Foundation
import ImageCore
import ImageDiskCaching

/// A folder for one test, removed with all that is in it when the test is done.
final class ContractFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/contract-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A cache that was let go writes its index down, perhaps only now: into a folder that is being removed.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    func diskCache(byteLimit: Int) -> DiskDataCache {
        DiskDataCache(
            directory: URL(fileURLWithPath: path), byteLimit: byteLimit,
            now: { Date(timeIntervalSinceReferenceDate: 0) })
    }

    /// Alters a byte in each file that names the key.
    func damageFiles(naming key: DataCacheKey) throws {
        let names = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
        for file in names.map({ "\(path)/\($0)" }) {
            guard var bytes = FileManager.default.contents(atPath: file), bytes.range(of: Data(key.source.utf8)) != nil
            else { continue }
            bytes[bytes.count / 3] ^= 0x40
            try bytes.write(to: URL(fileURLWithPath: file))
        }
    }
}
