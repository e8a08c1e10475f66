import Foundation
import ImageCore
import ImageDiskCaching

/// A folder for a test. It is removed with its contents after the test.
final class ContractFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/contract-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A released cache may still write its index while the folder is being removed.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    func diskCache(byteLimit: Int) -> DiskDataCache {
        DiskDataCache(
            directory: URL(fileURLWithPath: path), byteLimit: byteLimit,
            now: { Date(timeIntervalSinceReferenceDate: 0) })
    }

    /// Changes a byte in each file that contains the key.
    func damageFiles(containing key: DataCacheKey) throws {
        let names = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
        for file in names.map({ "\(path)/\($0)" }) {
            guard var bytes = FileManager.default.contents(atPath: file),
                bytes.range(of: Data(key.identifier.utf8)) != nil
            else { continue }
            bytes[bytes.count / 3] ^= 0x40
            try bytes.write(to: URL(fileURLWithPath: file))
        }
    }
}
