import CDiskFloor
import Foundation
import ImageCore
import ImageDiskCaching

/// A store of bytes by URL.
protocol DiskContender {
    var name: String { get }
    /// Stores an entry for each number. Returns the processor time of all threads in microseconds.
    func put(_ numbers: Range<Int>) async throws -> Double
    /// Reads the entries and accesses all their bytes. Returns the processor time of all threads in microseconds.
    func get(_ numbers: [Int]) async throws -> Double
}

/// A failure of a contender.
struct ContenderFailure: Error {
    var text: String
}

func imageURL(_ number: Int) -> String { "https://images.example.org/albums/17/photos/\(number).jpg" }

/// `DiskDataCache`, with a checksum verification on each read.
struct DiskCacheContender: DiskContender {
    /// The executor of the calling task.
    enum Caller: String {
        /// The cache's own thread, so that no call changes threads, like in the other stores.
        case onCacheThread = "on its thread"
        /// The global executor.
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

/// The baseline: plain files in 256 folders, without checksums, index or limit.
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
                if !isDone { throw ContenderFailure(text: "can't write a file at \(path)") }
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
                if count != data.count { throw ContenderFailure(text: "can't read the file at \(path)") }
            }
        }
    }

    /// Returns a path with a name of 64 digits in one of the folders, like those of the cache.
    private func path(_ number: Int) -> String {
        let scattered = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        let name = String(format: "%016lx%016lx%016lx%016lx", scattered, UInt64(number), scattered, UInt64(number))
        return "\(folder.path)/\(name.prefix(2))/\(name)"
    }
}

/// SQLite with a write-ahead log and one transaction per put.
@safe
final class SQLiteContender: DiskContender {
    let name = "SQLite"
    // Opened in init, closed in deinit, and never passed outside.
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
                if !isDone { throw ContenderFailure(text: "SQLite can't store \(key)") }
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

/// diskcache from PyPI, in a separate process that reports its processor time.
final class PythonContender: DiskContender {
    let name = "diskcache (Python)"
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    /// Returns nil if the interpreter (`python3`, or the one in the variable PYTHON) doesn't have the package.
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
        try send("put \(numbers.lowerBound) \(numbers.upperBound)")
    }

    func get(_ numbers: [Int]) async throws -> Double {
        try send("get " + numbers.map(String.init).joined(separator: " "))
    }

    private func send(_ command: String) throws -> Double {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        guard let microseconds = try readLine().flatMap({ Double($0) }) else {
            throw ContenderFailure(text: "diskcache_peer.py didn't answer \(command.prefix(20))")
        }
        return microseconds
    }

    /// Returns the next line, or nil at the end.
    private func readLine() throws -> String? {
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte[0] == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        return nil
    }
}
