import CTraceFile
public import Foundation

/// An error of reading a trace.
public enum TraceFailure: Error, Hashable {
    /// A file that is missing, can't be opened, or is damaged. The value is its path.
    case unreadable(String)
    /// A line, numbered from 1, that is neither a key nor a key and a size.
    case malformedLine(Int, in: String)
    /// A trace without accesses. The value is the file's name.
    case empty(String)
}

/// Reads traces, which may be gzip-compressed.
///
/// A trace is text with a key per line, or a key and a size in bytes.
public enum TraceReader {
    /// Returns the traces at a path: a file, or the files of a folder with ".txt" or ".gz" in their names.
    ///
    /// The traces of a folder are sorted by file name.
    ///
    /// - Throws: `TraceFailure`, or an error of Foundation if the folder can't be read.
    public static func traces(at url: URL) throws -> [Trace] {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw TraceFailure.unreadable(url.path)
        }
        guard isFolder.boolValue else { return [try trace(at: url)] }
        let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
        return try files.filter { file in [".txt", ".gz"].contains { file.lastPathComponent.contains($0) } }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }.map(trace)
    }

    /// Returns the trace in a file.
    ///
    /// - Throws: `TraceFailure`.
    public static func trace(at url: URL) throws -> Trace {
        let file = url.lastPathComponent
        let accesses = try lines(in: bytes(of: url.path), file)
        if accesses.isEmpty { throw TraceFailure.empty(file) }
        return Trace(name: name(of: file), accesses: accesses)
    }

    private static func name(of file: String) -> String {
        [".gz", ".txt"].reduce(file) { name, ending in
            name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
        }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        guard let file = unsafe trace_file_open(path) else { throw TraceFailure.unreadable(path) }
        defer { unsafe trace_file_close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe trace_file_read(file, &chunk, UInt32(chunk.count))
            if count < 0 { throw TraceFailure.unreadable(path) }
            if count == 0 { return bytes }
            bytes += chunk.prefix(Int(count))
        }
    }

    private static func lines(in bytes: [UInt8], _ file: String) throws -> [Trace.Access] {
        var keys = KeyNumbers<[UInt8]>()
        return try bytes.split(separator: UInt8(ascii: "\n")).enumerated().map { index, line in
            let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
            let size = words.count == 2 ? Int(String(decoding: words[1], as: UTF8.self)) : words.count == 1 ? 1 : nil
            guard let size, size >= 0 else { throw TraceFailure.malformedLine(index + 1, in: file) }
            return Trace.Access(key: keys.number(of: Array(words[0])), size: max(1, size))
        }
    }
}
