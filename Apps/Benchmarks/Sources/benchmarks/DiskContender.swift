import CDiskFloor
import Foundation
import ImageCore
import ImageDiskCaching

/// A store of bytes under URLs, asked for the same work as the others, by turns.
protocol DiskContender {
    var name: String { get }
    /// Processor microseconds, all threads, of storing an entry under each of these numbers.
    func put(_ numbers: Range<Int>) async throws -> Double
    /// The same of reading them, every byte of which is looked at.
    func get(_ numbers: [Int]) async throws -> Double
}

/// What a contender could not do.
struct ContenderFailure: Error {
    var text: String
}

func imageURL(_ number: Int) -> String { "https://images.example.org/albums/17/photos/\(number).jpg" }

/// The shipped cache: each read verifies its checksum.
struct DiskCacheContender: DiskContender {
    /// Where the task runs that asks. The others work on the thread of whoever calls them.
    enum Caller: String {
        case onCacheThread = "on its thread"
        case inPool = "from the pool"
    }

    let cache: DiskDataCache
    let data: Data
    let caller: Caller

    var name: String { "DiskDataCache, \(caller.rawValue)" }

    func put(_ numbers: Range<Int>) async throws -> Double {
        let entry = DataCacheEntry(data: data, createdAt: Date(timeIntervalSinceReferenceDate: 0))
        let keys = numbers.map(key)
        return try await withTaskExecutorPreference(executor) {
            try await Stopwatch.processorMicroseconds {
                for key in keys { try await cache.store(entry, for: key) }
            }
        }
    }

    func get(_ numbers: [Int]) async throws -> Double {
        let keys = numbers.map(key)
        return try await withTaskExecutorPreference(executor) {
            try await Stopwatch.processorMicroseconds {
                for key in keys where try await cache.entry(for: key)?.data.count != data.count {
                    throw ContenderFailure(text: "DiskDataCache does not have \(key.source)")
                }
            }
        }
    }

    private var executor: (any TaskExecutor)? { caller == .onCacheThread ? cache.executor : nil }

    private func key(_ number: Int) -> DataCacheKey { DataCacheKey(source: imageURL(number)) }
}

/// The floor: plain files in 256 folders, without checksums, index or limit.
struct PlainFilesContender: DiskContender {
    let name = "plain files (floor)"
    let folder: URL
    let data: Data

    init(folder: URL, data: Data) throws {
        (self.folder, self.data) = (folder, data)
        for shard in 0..<256 {
            try FileManager.default.createDirectory(
                at: folder.appending(path: String(format: "%02x", shard)), withIntermediateDirectories: true)
        }
    }

    func put(_ numbers: Range<Int>) async throws -> Double {
        let paths = numbers.map(path)
        return try await Stopwatch.processorMicroseconds {
            for path in paths {
                let isDone = unsafe data.withUnsafeBytes {
                    unsafe floor_file_put(path + ".part", path, $0.baseAddress, $0.count)
                }
                if !isDone { throw ContenderFailure(text: "no file could be written at \(path)") }
            }
        }
    }

    func get(_ numbers: [Int]) async throws -> Double {
        let paths = numbers.map(path)
        var buffer = [UInt8](repeating: 0, count: data.count)
        return try await Stopwatch.processorMicroseconds {
            for path in paths {
                let count = unsafe buffer.withUnsafeMutableBytes {
                    unsafe floor_file_get(path, $0.baseAddress, $0.count)
                }
                if count != data.count { throw ContenderFailure(text: "no file could be read at \(path)") }
            }
        }
    }

    /// A name of 64 digits in one of the folders, like the cache's own.
    private func path(_ number: Int) -> String {
        let scattered = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        let name = String(format: "%016lx%016lx%016lx%016lx", scattered, UInt64(number), scattered, UInt64(number))
        return "\(folder.path)/\(name.prefix(2))/\(name)"
    }
}

/// SQLite with a write-ahead log, one transaction a put.
@safe
final class SQLiteContender: DiskContender {
    let name = "SQLite"
    // Owned: opened by init, closed by deinit, handed to nobody.
    private let database: OpaquePointer
    private let data: Data

    init(folder: URL, data: Data) throws {
        guard let database = unsafe floor_database_open(folder.path + "/entries.db") else {
            throw ContenderFailure(text: "SQLite can't open a database in \(folder.path)")
        }
        unsafe self.database = database
        self.data = data
    }

    deinit { unsafe floor_database_close(database) }

    func put(_ numbers: Range<Int>) async throws -> Double {
        let keys = numbers.map(imageURL)
        return try await Stopwatch.processorMicroseconds {
            for key in keys {
                let isDone = unsafe data.withUnsafeBytes {
                    unsafe floor_database_put(database, key, $0.baseAddress, $0.count)
                }
                if !isDone { throw ContenderFailure(text: "SQLite refuses \(key)") }
            }
        }
    }

    func get(_ numbers: [Int]) async throws -> Double {
        let keys = numbers.map(imageURL)
        return try await Stopwatch.processorMicroseconds {
            for key in keys where unsafe floor_database_get(database, key) != data.count {
                throw ContenderFailure(text: "SQLite does not have \(key)")
            }
        }
    }
}

/// PyPI's diskcache, in a process of its own that tells its processor time.
final class PythonContender: DiskContender {
    let name = "diskcache (Python)"
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    /// Nil when the interpreter, which the variable PYTHON may name, does not have the package.
    init?(folder: URL, byteCount: Int) throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../diskcache_peer.py")
        let python = ProcessInfo.processInfo.environment["PYTHON"] ?? "python3"
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [python, script.standardizedFileURL.path, folder.path, "\(byteCount)"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        if try readLine() != "ready" { return nil }
    }

    deinit {
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }

    func put(_ numbers: Range<Int>) async throws -> Double {
        try ask("put \(numbers.lowerBound) \(numbers.upperBound)")
    }

    func get(_ numbers: [Int]) async throws -> Double {
        try ask("get " + numbers.map(String.init).joined(separator: " "))
    }

    private func ask(_ command: String) throws -> Double {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        guard let microseconds = try readLine().flatMap({ Double($0) }) else {
            throw ContenderFailure(text: "diskcache_peer.py gave no answer to \(command.prefix(20))")
        }
        return microseconds
    }

    /// Nil at the end.
    private func readLine() throws -> String? {
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte[0] == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        return nil
    }
}
