import ImageMemoryCaching

/// Remembers the latest paths that were verified and parsed, because most requests are for results in memory.
///
/// A path is forgotten when the parser is replaced.
final class ParsedRequests: Sendable {
    /// A verified and parsed path.
    struct Entry: Sendable {
        let url: ImageURL
        let accepted: AcceptedFormats
        let client: OriginalClient
        /// The key of the result in all levels.
        let key: String
        /// The names of the header fields on which the result depends, for Vary; empty for none.
        let vary: String
        let preparedFields = PreparedFields()
        let generation: Int
    }

    private struct Key: Hashable, Sendable {
        let path: String
        let accept: String?
    }

    private let entries: MemoryCache<Key, Entry>

    /// - Parameter byteLimit: The most memory that the entries take, about.
    init(byteLimit: Int) { entries = MemoryCache(limits: CacheLimits(cost: byteLimit)) }

    /// Returns what was parsed with the parser of this generation.
    func entry(_ path: String, accept: String?, generation: Int) -> Entry? {
        guard let entry = entries.value(for: Key(path: path, accept: accept)), entry.generation == generation else {
            return nil
        }
        return entry
    }

    /// Remembers a path, and returns its entry. Neither paths with a time of expiry nor what is for one client is
    /// remembered.
    func insert(_ path: String, accept: String?, _ entry: Entry) -> Entry {
        let size = path.utf8.count + (accept?.utf8.count ?? 0)
        if entry.url.options.expires == 0, !entry.client.isPersonal, size <= 2_048 {
            // The path is in the key of the entry, the parsed source, its URL and the key of the result.
            entries.insert(entry, cost: 2_500 + 8 * size, for: Key(path: path, accept: accept))
        }
        return entry
    }
}
