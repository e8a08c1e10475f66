public import ImageCore

extension DiskDataCache: StreamingDataCache {
    /// Returns a writer for a new entry, which replaces an older one when it is finished.
    ///
    /// Reserves space for entries of 256 KiB or more. An entry of unknown length reserves space as it grows.
    public func writer(
        for key: DataCacheKey, expectedByteCount: Int?
    ) async throws(DataCacheFailure) -> any DataCacheWriter {
        openInBackground()
        let writer = DiskEntryWriter(self, key)
        try await writer.prepare(expectedByteCount)
        return writer
    }

    /// Returns a reader for parts of an entry, or `nil` if the entry is missing or damaged.
    ///
    /// The reader can read the entry even after it was replaced or removed.
    public func reader(for key: DataCacheKey) async throws(DataCacheFailure) -> (any DataCacheReader)? {
        openInBackground()
        let name = folder.name(key)
        switch folder.readNonblocking(key, name: name) {
        case .entry(let entry): return entry
        case .absent: return nil
        case .unindexed, .inconsistent, nil: break
        }
        let executor = reader(for: name)
        let entry = try await perform(on: executor) { folder throws(FileSystemFailure) in try folder.openEntry(key) }
        guard let entry else {
            await reconcile(name)
            return nil
        }
        folder.noteHit(of: name)
        return DiskEntryReader(self, entry, executor)
    }

    /// Makes folder and index consistent after an entry was missing or damaged.
    func reconcile(_ key: DataCacheKey) async { await reconcile(folder.name(key)) }
}
