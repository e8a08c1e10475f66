import ImageCore
import Synchronization

/// Reads parts of a large entry on disk. Its checksum was verified when it was opened.
final class DiskEntryReader: DataCacheReader {
    private let entry: CacheFolder.OpenEntry
    private let fileSystem: FileSystem
    private let queue: WorkQueue

    init(_ entry: CacheFolder.OpenEntry, _ fileSystem: FileSystem, _ queue: WorkQueue) {
        self.entry = entry
        self.fileSystem = fileSystem
        self.queue = queue
    }

    deinit { queue.async { [fileSystem, file = entry.file] in fileSystem.closeFile(file) } }

    var byteCount: Int { entry.format.payload.count }
    var metadata: Data { entry.metadata }
    var creationDate: Date { entry.format.creationDate }

    /// Returns nil if the device can't read the bytes any more.
    func bytes(in range: Range<Int>) async throws(DataCacheError) -> Data? {
        let wanted = range.clamped(to: entry.format.payload)
        return try await queue.run { [fileSystem, file = entry.file] in
            do {
                let bytes = try fileSystem.read(file, wanted.count, at: wanted.lowerBound)
                return bytes.count == wanted.count ? bytes : nil
            } catch let failure as FileSystemFailure where failure.isDeviceError {
                return nil
            }
        }
    }
}

/// The number of bytes that are buffered before they are written.
private let bufferSize = 1 << 18

/// Streams an entry to disk. An entry of less than 256 KiB is stored as a whole when it is finished.
final class DiskEntryWriter: DataCacheWriter {
    private struct State {
        var buffered = Data()
        /// `nil` before the first write, during each write, and after the end.
        var part: PartialFile?
        /// What further calls throw.
        var failure: DataCacheError?
    }

    private let changes: ChangeQueue
    private let key: DataCacheKey
    private let name: EntryName
    private let state = Mutex(State())

    init(_ changes: ChangeQueue, _ key: DataCacheKey, _ name: EntryName) {
        self.changes = changes
        self.key = key
        self.name = name
    }

    deinit {
        guard let part = state.withLock({ $0.part }) else { return }
        changes.makeLater { $0.discard(part) }
    }

    /// Reserves space for an entry that is larger than the buffer.
    func prepare(_ expectedByteCount: Int?) async throws(DataCacheError) {
        if let expectedByteCount, expectedByteCount >= bufferSize { try await write(expecting: expectedByteCount) }
    }

    func append(_ bytes: Data) async throws(DataCacheError) {
        let isFull = try state.withLock { state throws(DataCacheError) in
            if let failure = state.failure { throw failure }
            state.buffered.append(bytes)
            return state.buffered.count >= bufferSize
        }
        if isFull { try await write(expecting: nil) }
    }

    func finish(metadata: Data, creationDate: Date) async throws(DataCacheError) {
        try await change(last: "finished") { [key, name] editor, rest, part in
            guard var part else {
                let entry = DataCacheEntry(data: rest, metadata: metadata, creationDate: creationDate)
                try editor.store(entry, for: key, name)
                return nil
            }
            try editor.append(rest, to: &part)
            try editor.finish(part, key, metadata, creationDate)
            return nil
        }
    }

    func cancel() async {
        // Throws if the writer has ended, and its part is removed.
        try? await change(last: "cancelled") { editor, _, part in
            if let part { editor.discard(part) }
            return nil
        }
    }

    /// Writes what is buffered.
    private func write(expecting expected: Int?) async throws(DataCacheError) {
        try await change { [name] editor, bytes, existing in
            var part = try existing ?? editor.beginStream(name, expected: expected)
            try editor.append(bytes, to: &part)
            return part
        }
    }

    /// Changes the part, and appends what is buffered. Further calls throw its failure too. Calls that overlap run in
    /// their order, because both are taken on the queue.
    private func change(
        last how: String? = nil,
        _ work: @escaping @Sendable (inout FolderEditor, _ buffered: Data, PartialFile?) throws -> PartialFile?
    ) async throws(DataCacheError) {
        try await changes.make { editor in
            do {
                let (bytes, existing) = try self.state.withLock { state in
                    if let failure = state.failure { throw failure }
                    if let how { state.failure = .io("The writer is already \(how)") }
                    defer { state.buffered = Data() }
                    return (state.buffered, state.part.take())
                }
                let part = try editor.replacing(self.name) { editor in try work(&editor, bytes, existing) }
                self.state.withLock { $0.part = part }
            } catch {
                self.state.withLock { $0.failure = DataCacheError(ofDisk: error) }
                throw error
            }
        }
    }
}
