public import Foundation

/// A sequence of cache accesses.
public struct Trace: Sendable {
    /// A look-up.
    public struct Access: Hashable, Sendable {
        /// The key. Keys are numbered from 0 in the order of their first access.
        public var key: Int
        /// The size in bytes, at least 1.
        public var size: Int
    }

    /// The name in tables.
    public let name: String
    /// The accesses in order.
    public private(set) var accesses: [Access] = []
    /// The size of each distinct key at its first access, by its number.
    private(set) var sizes: [Int] = []

    /// Whether the sizes differ.
    var hasSizes: Bool { accesses.contains { $0.size != accesses[0].size } }

    /// Numbers the names of a sequence of accesses, each with its size in bytes.
    public init(name: String, _ accesses: some Sequence<(name: some Hashable, size: Int)>) {
        self.name = name
        var numbers: [AnyHashable: Int] = [:]
        for access in accesses {
            let number = numbers[access.name] ?? sizes.count
            if number == sizes.count {
                numbers[access.name] = number
                sizes.append(access.size)
            }
            self.accesses.append(Access(key: number, size: access.size))
        }
    }
}

/// An error of reading a trace, with the name of the file.
public enum TraceFailure: Error, Hashable {
    /// A line, numbered from 1, that is neither a key nor a key and a size.
    case malformedLine(Int, in: String)
    /// A file without accesses.
    case empty(String)
}

extension Trace {
    /// Reads a file, or the files of a folder with ".txt" in their names, sorted by name.
    ///
    /// A file is text with a key per line, or a key and a size in bytes. Files that end in ".gz" are unpacked by gzip.
    ///
    /// - Throws: `TraceFailure`, or an error of Foundation.
    public static func read(at url: URL) throws -> [Trace] {
        guard try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else {
            return [try Trace(file: url)]
        }
        let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
        return try files.filter { $0.lastPathComponent.contains(".txt") }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }.map(Trace.init(file:))
    }

    private init(file: URL) throws {
        let name = file.lastPathComponent
        let lines = String(decoding: try Self.text(of: file), as: UTF8.self).split(whereSeparator: \.isNewline)
        if lines.isEmpty { throw TraceFailure.empty(name) }
        let accesses = try lines.enumerated().map { index, line in
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let size = words.count == 2 ? Int(words[1]) : words.count == 1 ? 1 : nil, size >= 0 else {
                throw TraceFailure.malformedLine(index + 1, in: name)
            }
            return (name: words[0], size: max(1, size))
        }
        self.init(name: String(name.prefix(upTo: name.range(of: ".txt")?.lowerBound ?? name.endIndex)), accesses)
    }

    private static func text(of file: URL) throws -> Data {
        guard file.pathExtension == "gz" else { return try Data(contentsOf: file) }
        let (gzip, output) = (Process(), Pipe())
        gzip.executableURL = URL(filePath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-dc", file.path]
        gzip.standardOutput = output
        try gzip.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        gzip.waitUntilExit()
        guard gzip.terminationStatus == 0 else {
            throw CocoaError(.fileReadCorruptFile, userInfo: [NSURLErrorKey: file])
        }
        return text
    }
}
