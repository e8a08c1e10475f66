public import ImageCore
import Synchronization

/// A text that can be compared and can't be read: the HMAC-SHA-256 of it with a random key of its own (RFC 2104).
///
/// The key is stored beside the code. So a token can't be read or looked up in a table, but a short password can be
/// guessed by somebody who has both.
struct SecretText: Codable, Hashable, Sendable {
    private let key: [UInt8]
    private let code: String

    init(_ text: String, key: [UInt8] = SecretText.randomKey()) {
        self.key = key
        code = SHA256.hexadecimalCode(of: Array(text.utf8), key: key)
    }

    func matches(_ text: String) -> Bool { SecretText(text, key: key) == self }

    /// Returns 32 random bytes.
    static func randomKey() -> [UInt8] { (0..<32).map { _ in UInt8.random(in: 0...255) } }
}

/// Computes names for entries whose keys depend on credentials, with a random key that is an entry of the same cache.
///
/// If the cache loses the key, it is stored again with the next entry that needs it. If no process knows it any more, a
/// new one is made, and the entries with names from the older one are not found again.
public final class EntryNames: Sendable {
    private static let entryKey = DataCacheKey(identifier: "key-of-private-names")

    private let cache: any ImageDataCache
    private let key = Mutex<[UInt8]?>(nil)
    private let queue = KeyedSerialQueue()

    /// Creates names for the entries of a cache, in which their key is stored.
    public init(_ cache: any ImageDataCache) { self.cache = cache }

    /// Returns the name for a text. Returns nil if there is no key yet and none is made.
    ///
    /// - Parameters:
    ///   - text: A text that can contain credentials, or depend on them.
    ///   - creationTime: The time of the entry to store, and of the key if the cache has none; nil for a lookup, which
    ///     stores no key.
    /// - Throws: `DataCacheError` if the cache fails.
    public func name(for text: String, creationTime: Date?) async throws(DataCacheError) -> String? {
        guard let key = try await key(creationTime: creationTime) else { return nil }
        return SHA256.hexadecimalCode(of: Array(text.utf8), key: key)
    }

    /// A key in memory is enough for a lookup. For a store, it must be in the cache, which can have removed or replaced it.
    private func key(creationTime: Date?) async throws(DataCacheError) -> [UInt8]? {
        if creationTime == nil, let known = key.withLock({ $0 }) { return known }
        return try await queue.perform("") { () async throws(DataCacheError) in
            let known = key.withLock { $0 }
            if creationTime == nil, let known { return known }
            var stored = try await storedKey()
            if stored == nil, let creationTime {
                let data = Data(known ?? SecretText.randomKey())
                try await cache.store(DataCacheEntry(data: data, creationDate: creationTime), for: Self.entryKey)
                // That of another process, if both have made one.
                stored = try await storedKey()
            }
            key.withLock { $0 = stored }
            return stored
        }
    }

    private func storedKey() async throws(DataCacheError) -> [UInt8]? {
        try await cache.entry(for: Self.entryKey).flatMap { $0.data.count == 32 ? Array($0.data) : nil }
    }
}
