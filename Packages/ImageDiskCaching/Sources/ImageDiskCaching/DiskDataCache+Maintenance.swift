public import ImageCore

extension DiskDataCache {
    /// What the folder holds now, other processes' entries included. Changes nothing.
    public func status() async throws(DataCacheFailure) -> DiskCacheStatus {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.status() }
    }

    /// Changes what all files of the cache together may take, and returns when they take no more. Other operations go on meanwhile.
    public func setByteLimit(_ byteLimit: Int) async throws(DataCacheFailure) {
        folder.setByteLimit(byteLimit)
        _ = try await repeated { folder throws(FileSystemFailure) in
            try folder.shrinkStep()
        }
    }

    /// Reads every entry, removes what is damaged and what dead processes left, makes the index agree with the entries, and reports.
    /// Other operations go on in between.
    public func verify() async throws(DataCacheFailure) -> DiskCacheVerification {
        var report = try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.beginVerification()
        }
        for path in try await perform(on: writer, { folder throws(FileSystemFailure) in try folder.folders() }) {
            let part = try await perform(on: writer) { folder throws(FileSystemFailure) in
                try folder.verify(folder: path)
            }
            report.add(part)
        }
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.makeIndexAnew() }
        return report
    }

    /// Removes the least recently used entries until their files take `byteCount` bytes at most. The budget stays as it is.
    @discardableResult
    public func trim(to byteCount: Int) async throws(DataCacheFailure) -> DiskCacheRemoval {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.open() }
        return try await repeated { folder throws(FileSystemFailure) in
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
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.settleRemovals() }
        return sum
    }

    /// Writes down in the index which entries were used last. Happens by itself now and then, and when the cache is let go; what was
    /// not written down when a process dies is forgotten.
    public func flush() async throws(DataCacheFailure) {
        try await perform(on: writer) { folder throws(FileSystemFailure) in try folder.flush() }
    }

    /// Takes steps until there is nothing left to do, and adds up what they did. Others get their turn in between.
    private func repeated(
        _ step: @escaping @Sendable (EntryFolder) throws(FileSystemFailure) -> DiskCacheRemoval?
    ) async throws(DataCacheFailure) -> DiskCacheRemoval {
        var sum = DiskCacheRemoval()
        while let part = try await perform(on: writer, step) { sum.add(part) }
        return sum
    }
}
