import CDiskFloor
import Dispatch
import Foundation
import ImageCore
import ImageDiskCaching

/// A store of bytes by URL.
protocol DiskContender: Sendable {
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

func imageKey(_ number: Int) -> DataCacheKey {
    DataCacheKey(identifier: "https://images.example.org/albums/17/photos/\(number).jpg")
}

/// `DiskDataCache`, with a checksum verification on each read, called from the concurrency pool.
struct DiskCacheContender: DiskContender {
    let name = "DiskDataCache"
    private let cache: DiskDataCache
    private let data: Data

    /// Creates a cache that has all its subfolders, like the one of the baseline.
    init(folder: URL, data: Data) async throws {
        cache = DiskDataCache(directory: folder, byteLimit: .max, now: { Date() })
        self.data = data
        let small = DataCacheEntry(data: Data(), creationDate: Date(timeIntervalSinceReferenceDate: 0))
        for number in 0..<3_000 { try await cache.store(small, for: imageKey(1_000_000 + number)) }
    }

    func put(_ numbers: Range<Int>) async throws -> Double {
        let entry = DataCacheEntry(data: data, creationDate: Date(timeIntervalSinceReferenceDate: 0))
        let keys = numbers.map(imageKey)
        return try await Stopwatch.processorMicroseconds {
            for key in keys { try await cache.store(entry, for: key) }
        }
    }

    func get(_ numbers: [Int]) async throws -> Double {
        let keys = numbers.map(imageKey)
        return try await Stopwatch.processorMicroseconds {
            for key in keys where try await cache.entry(for: key)?.data.count != data.count {
                throw ContenderFailure(text: "DiskDataCache does not have \(key.identifier)")
            }
        }
    }
}

/// The baseline: plain files in 256 folders, without checksums, index or limit. Each is written in another folder and renamed.
struct PlainFilesContender: DiskContender {
    let name = "plain files (floor)"
    let folder: URL
    let data: Data

    init(folder: URL, data: Data) throws {
        self.folder = folder
        self.data = data
        for name in ["tmp"] + (0..<256).map({ String(format: "%02x", $0) }) {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
    }

    func put(_ numbers: Range<Int>) async throws -> Double {
        let paths = numbers.map(path)
        return try await Stopwatch.processorMicroseconds { for path in paths { try put(path) } }
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

    func put(_ path: String) throws {
        let isDone = unsafe data.withUnsafeBytes {
            unsafe floor_file_put("\(folder.path)/tmp/0.part", path, $0.baseAddress, $0.count)
        }
        if !isDone { throw ContenderFailure(text: "can't write a file at \(path)") }
    }

    /// Returns a path with a name of 64 digits in one of the folders, like those of the cache.
    func path(_ number: Int) -> String {
        let scattered = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        let name = String(format: "%016lx%016lx%016lx%016lx", scattered, UInt64(number), scattered, UInt64(number))
        return "\(folder.path)/\(name.prefix(2))/\(name)"
    }
}

/// Plain files that are written on a dispatch queue, as asynchronous code must do. Shows what the change of threads costs.
struct QueuedFilesContender: DiskContender {
    let name = "plain files, written on a queue"
    private let files: PlainFilesContender
    private let queue = DispatchQueue(label: "files")

    init(folder: URL, data: Data) throws { files = try PlainFilesContender(folder: folder, data: data) }

    func put(_ numbers: Range<Int>) async throws -> Double {
        let paths = numbers.map(files.path)
        return try await Stopwatch.processorMicroseconds {
            for path in paths {
                try await withCheckedThrowingContinuation { continuation in
                    queue.async { continuation.resume(with: Result { try files.put(path) }) }
                }
            }
        }
    }

    func get(_ numbers: [Int]) async throws -> Double { try await files.get(numbers) }
}
