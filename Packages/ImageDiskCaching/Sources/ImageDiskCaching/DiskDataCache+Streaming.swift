public import ImageCore

extension DiskDataCache: StreamingDataCache {
    public func writer(
        for key: DataCacheKey, expectedByteCount: Int?
    ) async throws(DataCacheFailure) -> any DataCacheWriter {
        openInBackground()
        let writer = DiskEntryWriter(self, key)
        try await writer.prepare(expectedByteCount)
        return writer
    }

    public func reader(for key: DataCacheKey) async throws(DataCacheFailure) -> (any DataCacheReader)? {
        openInBackground()
        let name = folder.name(key)
        switch folder.readAtOnce(key, name: name) {
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

    /// Repairs folder and index after an entry was missing or damaged.
    func reconcile(_ key: DataCacheKey) async { await reconcile(folder.name(key)) }
}
