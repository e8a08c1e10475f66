import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An open entry. Its file stays readable after it is unlinked.
struct OpenEntry: Sendable {
    let file: Int32
    let layout: EntryFormat.Layout
    /// The checksums of the blocks, in the format of the file.
    let checksums: [UInt8]
    let key: DataCacheKey
    let metadata: Data
}

extension EntryFolder {
    /// The number of bytes at the end of a file that are read first. They usually contain the whole tail.
    private static var typicalTailSize: Int { 4_096 }

    /// Opens an entry and validates everything except the payload. Returns nil if the entry is missing or damaged.
    func openEntry(_ key: DataCacheKey) throws(FileSystemFailure) -> OpenEntry? {
        let file: Int32
        do {
            file = try fileSystem.openToRead(path(name(key)))
        } catch  where error.isNotFound || error.isForeign {
            return nil
        }
        do {
            let status = try fileSystem.status(of: file)
            if status.isRegular, let entry = try validateTail(file, status.byteCount, Self.typicalTailSize),
                entry.key == key
            {
                return entry
            }
            fileSystem.close(file)
            return nil
        } catch {
            fileSystem.close(file)
            throw error
        }
    }

    private func validateTail(_ file: Int32, _ fileSize: Int, _ wanted: Int) throws(FileSystemFailure) -> OpenEntry? {
        let start = max(0, fileSize - wanted)
        let bytes = [UInt8](try read(file, start..<fileSize))
        guard bytes.count == fileSize - start else { return nil }
        switch unsafe EntryFormat.validate(tail: bytes.span.bytes, fileSize: fileSize) {
        case .damaged, .otherVersion: return nil
        case .needs(let byteCount):
            return byteCount > wanted && byteCount <= byteLimit ? try validateTail(file, fileSize, byteCount) : nil
        case .intact(let layout):
            func part(_ range: Range<Int>) -> ArraySlice<UInt8> {
                bytes[range.lowerBound - start..<range.upperBound - start]
            }
            return OpenEntry(
                file: file, layout: layout, checksums: Array(part(layout.checksums)),
                key: DataCacheKey(source: String(decoding: part(layout.key), as: UTF8.self)),
                metadata: Data(part(layout.metadata)))
        }
    }

    /// Reads and validates the blocks that contain a range of the payload. Returns nil if one is damaged.
    func bytes(of entry: OpenEntry, in range: Range<Int>) throws(FileSystemFailure) -> Data? {
        let wanted = range.clamped(to: entry.layout.payload)
        if wanted.isEmpty { return Data() }
        let block = EntryFormat.blockSize
        let first = wanted.lowerBound / block
        let blocks =
            first * block..<min((wanted.upperBound + block - 1) / block * block, entry.layout.payload.upperBound)
        let bytes: [UInt8]
        do {
            bytes = try read(entry.file, blocks)
        } catch  where error.isDeviceError {
            return nil
        }
        guard bytes.count == blocks.count,
            unsafe EntryFormat.isIntact(bytes.span.bytes, firstBlock: first, checksums: entry.checksums.span.bytes)
        else { return nil }
        return Data(bytes[wanted.lowerBound - blocks.lowerBound..<wanted.upperBound - blocks.lowerBound])
    }
}

/// Reads parts of an entry on disk.
final class DiskEntryReader: DataCacheReader {
    private let cache: DiskDataCache
    private let entry: OpenEntry
    private let executor: QueueExecutor

    init(_ cache: DiskDataCache, _ entry: OpenEntry, _ executor: QueueExecutor) {
        self.cache = cache
        self.entry = entry
        self.executor = executor
    }

    deinit { executor.async { [folder = cache.folder, file = entry.file] in folder.fileSystem.close(file) } }

    var byteCount: Int { entry.layout.payload.count }
    var metadata: Data { entry.metadata }
    var createdAt: Date { entry.layout.createdAt }

    func bytes(in range: Range<Int>) async throws(DataCacheFailure) -> Data? {
        let entry = entry
        let bytes = try await cache.perform(on: executor) { folder throws(FileSystemFailure) in
            try folder.bytes(of: entry, in: range)
        }
        if bytes == nil { await cache.reconcile(entry.key) }
        return bytes
    }
}
