import CLibSQLite
import Foundation
import ImageCore

/// A connection to a database file, which is closed when it is released. Don't use it on two threads at once.
@safe
struct SQLiteConnection: ~Copyable {
    /// An argument of a statement, or a column of a row.
    enum Value {
        case integer(Int64)
        case real(Double)
        case bytes(Data)
    }

    // Owned: opened by init, closed by deinit, and never passed on.
    private let handle: OpaquePointer

    /// Opens or creates the file. Statements wait up to ten seconds for other connections.
    init(path: String) throws(DataCacheError) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(
            path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened = unsafe handle else {
            unsafe sqlite3_close_v2(handle)
            throw Self.failure(code)
        }
        unsafe self.handle = opened
        unsafe sqlite3_busy_timeout(opened, 10_000)
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Runs a statement and returns its rows.
    @discardableResult
    borrowing func run(_ statement: String, _ values: Value...) throws(DataCacheError) -> [[Value]] {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(handle, statement, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw Self.failure(code) }
        defer { unsafe sqlite3_finalize(prepared) }
        for (index, value) in values.enumerated() {
            let code = unsafe Self.bind(value, at: Int32(index + 1), to: prepared)
            guard code == SQLITE_OK else { throw Self.failure(code) }
        }
        var rows: [[Value]] = []
        while true {
            let code = unsafe sqlite3_step(prepared)
            if code == SQLITE_DONE { return rows }
            guard code == SQLITE_ROW else { throw Self.failure(code) }
            unsafe rows.append((0..<sqlite3_column_count(prepared)).map { unsafe Self.column($0, of: prepared) })
        }
    }

    private static func bind(_ value: Value, at index: Int32, to statement: OpaquePointer) -> Int32 {
        switch value {
        case .integer(let number): return unsafe sqlite3_bind_int64(statement, index, number)
        case .real(let number): return unsafe sqlite3_bind_double(statement, index, number)
        case .bytes(let bytes):
            if bytes.isEmpty { return unsafe sqlite3_bind_zeroblob(statement, index, 0) }
            // SQLITE_TRANSIENT, a macro that Swift does not import: SQLite copies the bytes before it returns.
            let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            return unsafe bytes.withUnsafeBytes {
                unsafe sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), transient)
            }
        }
    }

    private static func column(_ index: Int32, of statement: OpaquePointer) -> Value {
        switch unsafe sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, index))
        default:
            guard let start = unsafe sqlite3_column_blob(statement, index) else { return .bytes(Data()) }
            let count = unsafe sqlite3_column_bytes(statement, index)
            return .bytes(unsafe Data(bytes: start, count: Int(count)))
        }
    }

    private static func failure(_ code: Int32) -> DataCacheError {
        let text = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "SQLite error \(code)"
        return switch code & 0xFF {
        case SQLITE_FULL: .noSpace
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: .inaccessible(text)
        default: .io(text)
        }
    }
}
