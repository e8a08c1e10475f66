public import ImageCore

/// Rules for caches that write entries in pieces and read parts of them.
extension DataCacheContract {
    /// Makes an empty cache with a limit in bytes.
    public typealias Streaming = @Sendable (_ byteLimit: Int) async throws -> any StreamingDataCache

    /// The rules about writers and readers.
    public static var streaming: [ContractRule<Streaming>] { writing + reading }

    private static var writing: [ContractRule<Streaming>] {
        [
            ContractRule("an entry that is written in pieces is found complete once it is finished, and not before") {
                makeCache in
                let cache = try await makeCache(1_000_000)
                let whole = entry(300_000, 1)
                for expected in [nil, 300_000, 10] {
                    let writer = try await cache.writer(for: key(1), expectedByteCount: expected)
                    try await write(whole, inPiecesOf: 70_001, to: writer)
                    try await expect(cache, has: nil, for: key(1))
                    try await writer.finish(metadata: whole.metadata, creationDate: whole.creationDate)
                    try await expect(cache, has: whole, for: key(1))
                    try await cache.remove(for: key(1))
                }
            },
            ContractRule("the older entry is found until the new one is finished, and stays if that is cancelled") {
                makeCache in
                let cache = try await makeCache(1_000_000)
                try await cache.store(entry(1_000, 1), for: key(1))
                let cancelled = try await cache.writer(for: key(1), expectedByteCount: nil)
                try await write(entry(2_000, 2), inPiecesOf: 999, to: cancelled)
                try await expect(cache, has: entry(1_000, 1), for: key(1))
                await cancelled.cancel()
                try await expect(cache, has: entry(1_000, 1), for: key(1))
                let writer = try await cache.writer(for: key(1), expectedByteCount: nil)
                try await write(entry(2_000, 2), inPiecesOf: 999, to: writer)
                try await writer.finish(metadata: entry(2_000, 2).metadata, creationDate: entry(2_000, 2).creationDate)
                await writer.cancel()
                try await expect(cache, has: entry(2_000, 2), for: key(1))
            },
            ContractRule("a writer that is released before it is finished leaves the older entry") { makeCache in
                let cache = try await makeCache(1_000_000)
                for (number, count) in [10, 200_000].enumerated() {
                    try await cache.store(entry(1_000, number), for: key(number))
                    do {
                        let writer = try await cache.writer(for: key(number), expectedByteCount: nil)
                        try await writer.append(entry(count, 9).data)
                    }
                    // A cache may need another task to discard the entry.
                    for _ in 0..<100 { await Task.yield() }
                    try await expect(cache, has: entry(1_000, number), for: key(number))
                }
            },
            ContractRule("an entry that outgrows the limit throws tooLarge each time, and removes the older one") {
                makeCache in
                let cache = try await makeCache(5_000)
                for number in 1...2 { try await cache.store(entry(1_000, number), for: key(number)) }
                try await expectWriterThrowsTooLarge(entry(6_000, 3), for: key(1), in: cache)
                try await expect(cache, has: nil, for: key(1))
            },
            ContractRule("the limit holds for entries that are written in pieces") { makeCache in
                let cache = try await makeCache(10_000)
                for step in 0..<20 {
                    let next = entry(500 + step * 311 % 2_500, step)
                    let writer = try await cache.writer(for: key(step % 7), expectedByteCount: nil)
                    try await write(next, inPiecesOf: 400, to: writer)
                    try await writer.finish(metadata: next.metadata, creationDate: next.creationDate)
                    try await expect(cache, has: next, for: key(step % 7))
                    try await expect(cache, keeps: 10_000, in: 0..<7)
                }
            },
            ContractRule("concurrent writers for one key leave the entry of the one that finishes last") {
                makeCache in
                let cache = try await makeCache(1_000_000)
                let first = try await cache.writer(for: key(1), expectedByteCount: nil)
                let second = try await cache.writer(for: key(1), expectedByteCount: nil)
                try await first.append(entry(1_000, 1).data.prefix(500))
                try await write(entry(1_000, 2), inPiecesOf: 300, to: second)
                try await second.finish(metadata: entry(1_000, 2).metadata, creationDate: entry(1_000, 2).creationDate)
                try await expect(cache, has: entry(1_000, 2), for: key(1))
                try await first.append(entry(1_000, 1).data.dropFirst(500))
                try await first.finish(metadata: entry(1_000, 1).metadata, creationDate: entry(1_000, 1).creationDate)
                try await expect(cache, has: entry(1_000, 1), for: key(1))
            },
        ]
    }

    private static var reading: [ContractRule<Streaming>] {
        [
            ContractRule("a reader returns any available part of the data, the metadata and the date") {
                makeCache in
                let cache = try await makeCache(1_000_000)
                let whole = entry(200_000, 1)
                try await cache.store(whole, for: key(1))
                let reader = try await expectReader(for: key(1), in: cache)
                try expect(reader, has: whole)
                for range in [0..<200_000, 0..<1, 65_535..<65_537, 100_001..<200_000, 7..<7, 199_990..<300_000] {
                    let part = try await reader.bytes(in: range) ?? Data()
                    let difference = Difference.bytes(part, expected: whole.data[range.clamped(to: 0..<200_000)])
                    if let difference { throw ContractViolation("the part \(range): \(difference)") }
                }
            },
            ContractRule("an absent entry has no reader") { makeCache in
                let cache = try await makeCache(1_000_000)
                try expect(try await cache.reader(for: key(1)) == nil, "there is a reader for an absent entry")
            },
            ContractRule("a reader keeps its bytes after the entry is replaced or removed") { makeCache in
                let cache = try await makeCache(1_000_000)
                try await cache.store(entry(100_000, 1), for: key(1))
                let reader = try await expectReader(for: key(1), in: cache)
                _ = try await reader.bytes(in: 0..<10)
                try await cache.store(entry(100_000, 2), for: key(1))
                try await expect(reader, keeps: entry(100_000, 1))
                try await cache.removeAll()
                try await expect(reader, keeps: entry(100_000, 1))
            },
            ContractRule("a reader keeps its bytes while a newer entry is written in pieces, and once it is finished") {
                makeCache in
                let cache = try await makeCache(1_000_000)
                try await cache.store(entry(100_000, 1), for: key(1))
                let reader = try await expectReader(for: key(1), in: cache)
                let writer = try await cache.writer(for: key(1), expectedByteCount: 100_000)
                for start in stride(from: 0, to: 100_000, by: 10_000) {
                    try await writer.append(entry(100_000, 2).data[start..<start + 10_000])
                    try await expect(reader, keeps: entry(100_000, 1))
                }
                try await writer.finish(metadata: entry(1, 2).metadata, creationDate: entry(1, 2).creationDate)
                try await expect(reader, keeps: entry(100_000, 1))
            },
        ]
    }

    private static func write(
        _ entry: DataCacheEntry, inPiecesOf count: Int, to writer: any DataCacheWriter
    ) async throws {
        for start in stride(from: 0, to: entry.data.count, by: count) {
            try await writer.append(entry.data[start..<min(start + count, entry.data.count)])
        }
    }

    private static func expectWriterThrowsTooLarge(
        _ entry: DataCacheEntry, for key: DataCacheKey, in cache: any StreamingDataCache
    ) async throws {
        let writer = try await cache.writer(for: key, expectedByteCount: nil)
        for _ in 1...2 {
            do {
                try await write(entry, inPiecesOf: 1_500, to: writer)
                try await writer.finish(metadata: entry.metadata, creationDate: entry.creationDate)
            } catch DataCacheError.tooLarge {
                continue
            }
            throw ContractViolation("an entry larger than the limit was accepted")
        }
    }

    private static func expectReader(
        for key: DataCacheKey, in cache: any StreamingDataCache
    ) async throws -> any DataCacheReader {
        guard let reader = try await cache.reader(for: key) else {
            throw ContractViolation("there is no reader for a stored entry")
        }
        return reader
    }

    private static func expect(_ reader: any DataCacheReader, has entry: DataCacheEntry) throws {
        let difference = Difference.parts([
            ("length", Difference.values(reader.byteCount, expected: entry.data.count)),
            ("metadata", Difference.bytes(reader.metadata, expected: entry.metadata)),
            ("date, in seconds since 2001", Difference.seconds(reader.creationDate, expected: entry.creationDate)),
        ])
        if let difference { throw ContractViolation("the reader has another entry: \(difference)") }
    }

    private static func expect(_ reader: any DataCacheReader, keeps entry: DataCacheEntry) async throws {
        let bytes = try await reader.bytes(in: 50_000..<100_000) ?? Data()
        if let difference = Difference.bytes(bytes, expected: entry.data[50_000...]) {
            throw ContractViolation("the reader returns other bytes than when it was opened: \(difference)")
        }
    }
}
