import ImageCore

/// Entries that the rules store, and checks of what they find.
extension DataCacheContract {
    static var unusualKeys: [DataCacheKey] {
        let long = String(repeating: "a", count: 5_000)
        return ["", "a", "A", "a/b", "a b", "../a", "a\0b", "ü", "🖼", ".", "..", "a#", "a?", long, long + "b"].map(
            DataCacheKey.init)
    }

    static func key(_ number: Int) -> DataCacheKey { DataCacheKey(identifier: "https://images.test/\(number)") }

    /// Returns an entry in which every part depends on the seed.
    static func entry(_ byteCount: Int, _ seed: Int) -> DataCacheEntry {
        // The contents repeat after a block.
        let block = (0..<min(byteCount, 1 << 16)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256 &+ seed &* 7) }
        return DataCacheEntry(
            data: Data(block.repeated(toFill: byteCount)),
            metadata: Data("metadata \(seed)".utf8),
            creationDate: Date(timeIntervalSinceReferenceDate: Double(seed) + 0.1)
        )
    }

    static func size(_ entry: DataCacheEntry?) -> Int {
        entry.map { $0.data.count + $0.metadata.count } ?? 0
    }

    /// Fails if the entries for a range of keys exceed a limit in bytes.
    static func expect(_ cache: any ImageDataCache, keeps limit: Int, in keys: some Sequence<Int>) async throws {
        var sum = 0
        for number in keys { sum += size(try await cache.entry(for: key(number))) }
        try expect(sum <= limit, "\(sum) bytes with a limit of \(limit)")
    }

    static func expect(_ cache: any ImageDataCache, has entry: DataCacheEntry?, for key: DataCacheKey) async throws {
        let found = try await cache.entry(for: key)
        if let difference = difference(of: found, from: entry) {
            throw ContractViolation("\(difference), for \(key.identifier.prefix(60))")
        }
    }

    static func expectTooLarge(_ entry: DataCacheEntry, for key: DataCacheKey, in cache: any ImageDataCache)
        async throws
    {
        do {
            try await cache.store(entry, for: key)
        } catch .tooLarge(let bytes, let allowed) {
            try expect(bytes > allowed, "tooLarge reports \(bytes) bytes, but \(allowed) are allowed")
            return
        }
        throw ContractViolation("an entry larger than the limit was accepted")
    }

    static func expect(_ condition: Bool, _ message: @autoclosure () -> String) throws(ContractViolation) {
        try ImageContractTesting.expect(condition, message())
    }

    /// Returns which parts of an entry differ from those of the expected one, or nil if none does.
    static func difference(of found: DataCacheEntry?, from expected: DataCacheEntry?) -> String? {
        guard let found, let expected else {
            return found == expected ? nil : "found \(text(found)), expected \(text(expected))"
        }
        return Difference.parts([
            ("data", Difference.bytes(found.data, expected: expected.data)),
            ("metadata", Difference.bytes(found.metadata, expected: expected.metadata)),
            ("date, in seconds since 2001", Difference.seconds(found.creationDate, expected: expected.creationDate)),
        ])
    }

    static func text(_ entry: DataCacheEntry?) -> String {
        entry.map { "an entry of \($0.data.count) bytes with \(String(decoding: $0.metadata, as: UTF8.self))" }
            ?? "nothing"
    }
}
