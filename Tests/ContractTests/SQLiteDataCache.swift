import Dispatch
import Foundation
import ImageCore
import Synchronization

/// A data cache in a SQLite database. It shows that other storage can conform to `ImageDataCache`.
///
/// Each operation is a transaction on the queue of the cache. The limit applies to data, metadata and keys. The oldest
/// entry is evicted first. Each row has a checksum of all its parts.
final class SQLiteDataCache: ImageDataCache {
    private let byteLimit: Int
    private let queue = DispatchQueue(label: "SQLiteDataCache")
    private let connection: Mutex<SQLiteConnection>
    /// Called on the queue before each transaction.
    private let onAccess: @Sendable () -> Void

    /// Opens the database. Blocks the calling thread.
    init(
        path: String, byteLimit: Int, onAccess: @escaping @Sendable () -> Void = {}
    ) throws(DataCacheError) {
        self.byteLimit = byteLimit
        self.onAccess = onAccess
        let opened = try SQLiteConnection(path: path)
        try opened.run("pragma journal_mode=wal")
        try opened.run("pragma synchronous=normal")
        try opened.run(
            """
            create table if not exists entry (
                number integer primary key, key blob unique not null, data blob not null, metadata blob not null,
                creationDate real not null, checksum integer not null, byteCount integer not null)
            """)
        connection = Mutex(opened)
    }

    func entry(for key: DataCacheKey) async throws(DataCacheError) -> DataCacheEntry? {
        try await perform { connection throws(DataCacheError) in
            let rows = try connection.run(
                "select data, metadata, creationDate, checksum from entry where key = ?", .bytes(key.bytes))
            guard let row = rows.first else { return nil }
            if let entry = Self.entry(in: row, for: key) { return entry }
            try connection.run("delete from entry where key = ?", .bytes(key.bytes))
            return nil
        }
    }

    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async throws(DataCacheError) {
        let byteCount = entry.data.count + entry.metadata.count + key.bytes.count
        if byteCount > byteLimit {
            try await remove(for: key)
            throw .tooLarge(bytes: byteCount, allowed: byteLimit)
        }
        try await perform { [byteLimit] connection throws(DataCacheError) in
            do throws(DataCacheError) {
                try connection.run("begin immediate")
                try connection.run("delete from entry where key = ?", .bytes(key.bytes))
                try Self.makeSpace(for: byteCount, within: byteLimit, in: connection)
                try Self.insert(entry, for: key, byteCount: byteCount, in: connection)
                try connection.run("commit")
            } catch {
                Self.withdraw(key, from: connection)
                throw error
            }
        }
    }

    func remove(for key: DataCacheKey) async throws(DataCacheError) {
        try await execute("delete from entry where key = ?", .bytes(key.bytes))
    }

    func removeAll() async throws(DataCacheError) { try await execute("delete from entry") }

    /// Runs a statement that may change the entries.
    func execute(_ statement: String, _ value: SQLiteConnection.Value? = nil) async throws(DataCacheError) {
        try await perform { connection throws(DataCacheError) in
            _ = if let value { try connection.run(statement, value) } else { try connection.run(statement) }
        }
    }

    private func perform<Result: Sendable>(
        _ work: @escaping @Sendable (borrowing SQLiteConnection) throws(DataCacheError) -> Result
    ) async throws(DataCacheError) -> Result {
        let result = await withCheckedContinuation { continuation in
            queue.async { [self] in
                onAccess()
                let result = connection.withLock { connection in
                    Swift.Result { () throws(DataCacheError) in try work(connection) }
                }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    private static func makeSpace(
        for byteCount: Int, within limit: Int, in connection: borrowing SQLiteConnection
    ) throws(DataCacheError) {
        let space = SQLiteConnection.Value.integer(Int64(limit - byteCount))
        let oldest = "select number from entry order by number limit 1"
        while try !connection.run("select 1 where (select total(byteCount) from entry) > ?", space).isEmpty {
            try connection.run("delete from entry where number = (\(oldest))")
        }
    }

    private static func insert(
        _ entry: DataCacheEntry, for key: DataCacheKey, byteCount: Int, in connection: borrowing SQLiteConnection
    ) throws(DataCacheError) {
        try connection.run(
            """
            insert into entry (key, data, metadata, creationDate, checksum, byteCount) values (?, ?, ?, ?, ?, ?)
            """,
            .bytes(key.bytes), .bytes(entry.data), .bytes(entry.metadata),
            .real(entry.creationDate.timeIntervalSinceReferenceDate), .integer(entry.checksum(under: key)),
            .integer(Int64(byteCount)))
    }

    /// Removes the older entry after a failed store, because it is outdated.
    private static func withdraw(_ key: DataCacheKey, from connection: borrowing SQLiteConnection) {
        // The original failure is more useful than one of these. After some failures, SQLite has already rolled back.
        _ = try? connection.run("rollback")
        _ = try? connection.run("delete from entry where key = ?", .bytes(key.bytes))
    }

    /// Returns the entry in a row, or nil if the row is damaged.
    private static func entry(in row: [SQLiteConnection.Value], for key: DataCacheKey) -> DataCacheEntry? {
        guard case .bytes(let data) = row[0], case .bytes(let metadata) = row[1], case .real(let creationDate) = row[2],
            case .integer(let checksum) = row[3]
        else { return nil }
        let entry = DataCacheEntry(
            data: data, metadata: metadata, creationDate: Date(timeIntervalSinceReferenceDate: creationDate))
        return entry.checksum(under: key) == checksum ? entry : nil
    }
}

extension DataCacheKey {
    fileprivate var bytes: Data { Data(identifier.utf8) }
}

extension DataCacheEntry {
    /// Returns the 64-bit FNV-1a hash of all parts. It detects damage, but not forgery.
    fileprivate func checksum(under key: DataCacheKey) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        let date = unsafe withUnsafeBytes(of: creationDate.timeIntervalSinceReferenceDate) { unsafe Data($0) }
        for part in [data, metadata, date, Data(key.identifier.utf8)] {
            for byte in part { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ UInt64(part.count)) &* 0x100_0000_01B3
        }
        return Int64(bitPattern: hash)
    }
}
