public import ImageCore

extension DiskDataCache {
    /// Returns the current size and age of the folder's contents, including entries of other processes. Changes
    /// nothing.
    ///
    /// - Throws: `DataCacheFailure` if the folder can't be read.
    public func status() async throws(DataCacheFailure) -> DiskCacheStatus {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.status() }
    }

    /// Changes the limit, and returns after enough entries were evicted to meet it. Other operations can run in
    /// between.
    ///
    /// - Parameter byteLimit: The limit for all files of the cache, in bytes. A negative value counts as 0.
    /// - Throws: `DataCacheFailure` if an entry can't be evicted.
    public func setByteLimit(_ byteLimit: Int) async throws(DataCacheFailure) {
        folder.setByteLimit(byteLimit)
        _ = try await repeatUntilDone { folder throws(FileSystemFailure) in
            try folder.shrinkStep()
        }
    }

    /// Reads all entries, removes damaged ones and the leftovers of ended processes, and rebuilds the index.
    ///
    /// Other operations can run in between.
    ///
    /// - Returns: The number of checked and removed entries, and the problems that could not be repaired.
    /// - Throws: `DataCacheFailure` if a folder can't be listed or the index can't be written.
    public func verify() async throws(DataCacheFailure) -> DiskCacheVerification {
        var report = try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.beginVerification()
        }
        for path in try await perform(on: writer, { folder throws(FileSystemFailure) in try folder.folders() }) {
            let part = try await perform(on: writer) { folder throws(FileSystemFailure) in
                try folder.verify(folder: path)
            }
            report.add(part)
        }
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.rebuildIndex() }
        return report
    }

    /// Evicts entries until their files have at most `byteCount` bytes in total. The limit doesn't change.
    ///
    /// - Returns: The number of evicted entries and the total length of their files.
    /// - Throws: `DataCacheFailure` if an entry can't be evicted.
    @discardableResult
    public func trim(to byteCount: Int) async throws(DataCacheFailure) -> DiskCacheRemoval {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.open() }
        return try await repeatUntilDone { folder throws(FileSystemFailure) in
            try folder.shrinkStep(to: byteCount)
        }
    }

    /// Removes entries that were neither stored nor read for longer than `age`.
    ///
    /// - Returns: The number of removed entries and the total length of their files.
    /// - Throws: `DataCacheFailure` if an entry can't be removed.
    @discardableResult
    public func removeAll(olderThan age: Duration) async throws(DataCacheFailure) -> DiskCacheRemoval {
        let (steps, deadline) = try await perform(on: writer) { folder throws(FileSystemFailure) in
            try folder.unused(for: age)
        }
        var sum = DiskCacheRemoval()
        for names in steps {
            let part = try await perform(on: writer) { folder throws(FileSystemFailure) in
                try folder.removeStep(names, unusedSince: deadline)
            }
            sum.add(part)
        }
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.synchronizeRemovals() }
        return sum
    }

    /// Writes the times at which entries were used to the index.
    ///
    /// The cache also does this after 256 hits, and when it is deinitialized. If the process ends before that, these
    /// times are lost.
    ///
    /// - Throws: `DataCacheFailure` if the index can't be written.
    public func flush() async throws(DataCacheFailure) {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.flush() }
    }

    /// Repeats a step until it returns nil, and adds up the results. Other operations can run in between.
    private func repeatUntilDone(
        _ step: @escaping @Sendable (EntryFolder) throws(FileSystemFailure) -> DiskCacheRemoval?
    ) async throws(DataCacheFailure) -> DiskCacheRemoval {
        var sum = DiskCacheRemoval()
        while let part = try await perform(on: writer, step) { sum.add(part) }
        return sum
    }
}
