public import ImageCore

extension DiskDataCache {
    /// Returns what the folder contains now, including the entries of other processes. Changes nothing.
    public func status() async throws(DataCacheFailure) -> DiskCacheStatus {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.status() }
    }

    /// Changes the limit for all files of the cache, in bytes. Returns after enough entries were evicted to meet it.
    ///
    /// Other operations can run in between.
    public func setByteLimit(_ byteLimit: Int) async throws(DataCacheFailure) {
        folder.setByteLimit(byteLimit)
        _ = try await repeatUntilDone { folder throws(FileSystemFailure) in
            try folder.shrinkStep()
        }
    }

    /// Reads all entries, removes damaged ones and the leftovers of ended processes, and rebuilds the index.
    ///
    /// Other operations can run in between.
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

    /// Evicts entries until their files take at most `byteCount` bytes. The limit doesn't change.
    @discardableResult
    public func trim(to byteCount: Int) async throws(DataCacheFailure) -> DiskCacheRemoval {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.open() }
        return try await repeatUntilDone { folder throws(FileSystemFailure) in
            try folder.shrinkStep(to: byteCount)
        }
    }

    /// Removes entries that were neither stored nor read for longer than `age`.
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

    /// Writes to the index which entries were used last.
    ///
    /// The cache does this from time to time, and when it is released. Uses that are not written when a process ends are lost.
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
