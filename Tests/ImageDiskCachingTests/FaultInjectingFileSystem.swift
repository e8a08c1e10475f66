import Foundation
import ImageDiskCaching
import Synchronization

/// The calls of a `FileSystem` that can fail. A write is two calls, one for each half, so that it can fail in its middle.
enum FileSystemOperation: String, CaseIterable {
    case openToRead, openCached, openToUpdate, create, read, readCached, write, writeRest, truncate
    case lock, status, setModified, rename, remove, makeFolder, list, availableBytes
}

/// A call of a `FaultInjectingFileSystem`.
struct FileSystemCall: CustomStringConvertible {
    /// The number of the call, from 1.
    let number: Int
    let operation: FileSystemOperation
    let path: String

    var description: String { "\(operation) of \(path), call \(number)" }
}

/// Makes calls of another file system fail, logs them, and calls a function before each of them.
final class FaultInjectingFileSystem: FileSystem {
    /// A function that is called before each call. It can throw, read the files, or end the process.
    typealias Interception = @Sendable (FileSystemCall) throws -> Void

    fileprivate struct Fault {
        let operations: Set<FileSystemOperation>
        let numbers: ClosedRange<Int>
        let code: Int32
        var count = 0
    }

    private struct State {
        var log: [FileSystemCall] = []
        var fault: Fault?
        var paths: [Int32: String] = [:]
    }

    private let base = makeSystemFiles()
    /// Whether nonblocking calls return nil, as if no file were in memory. They aren't logged then.
    private let refusesCached: Bool
    /// Returns the free space, in place of that of the real disk.
    private let availableBytes: (@Sendable () -> Int)?
    private let interception: Interception
    private let state = Mutex(State())

    init(
        refusesCached: Bool = false, _ interception: @escaping Interception = { _ in },
        availableBytes: (@Sendable () -> Int)? = nil
    ) {
        self.refusesCached = refusesCached
        self.availableBytes = availableBytes
        self.interception = interception
    }

    var log: [FileSystemCall] { state.withLock { $0.log } }
    var operations: [FileSystemOperation] { log.map(\.operation) }

    /// Makes calls fail.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the calls that fail, counted from 1 from now on.
    ///   - operations: The kinds of calls that are counted.
    func fail(
        _ numbers: ClosedRange<Int> = 1...Int.max, of operations: Set<FileSystemOperation> = Set(FileSystemOperation.allCases),
        with code: Int32
    ) { state.withLock { $0.fault = Fault(operations: operations, numbers: numbers, code: code) } }

    /// Ends the fault.
    func recover() { state.withLock { $0.fault = nil } }

    private func willCall(_ operation: FileSystemOperation, _ path: String?, file: Int32 = -1) throws {
        let (call, code) = state.withLock { state in
            let call = FileSystemCall(
                number: state.log.count + 1, operation: operation, path: path ?? state.paths[file] ?? "closed")
            state.log.append(call)
            return (call, state.fault?.code(of: operation))
        }
        if let code { throw FileSystemFailure(call: operation.rawValue, code: code) }
        try interception(call)
    }

    private func open(_ operation: FileSystemOperation, _ path: String, _ body: () throws -> Int32?) throws -> Int32? {
        try willCall(operation, path)
        guard let file = try body() else { return nil }
        state.withLock { $0.paths[file] = path }
        return file
    }

    func openToRead(_ path: String) throws -> Int32 { try open(.openToRead, path) { try base.openToRead(path) } ?? -1 }

    func openCached(_ path: String) throws -> Int32? {
        refusesCached ? nil : try open(.openCached, path) { try base.openCached(path) }
    }

    func openToUpdate(_ path: String) throws -> Int32 {
        try open(.openToUpdate, path) { try base.openToUpdate(path) } ?? -1
    }

    func create(_ path: String) throws -> Int32 { try open(.create, path) { try base.create(path) } ?? -1 }

    func close(_ file: Int32) {
        // Before the file is closed, because another file can get its number immediately after.
        state.withLock { $0.paths[file] = nil }
        base.close(file)
    }

    func read(_ file: Int32, _ count: Int, at offset: Int) throws -> Data {
        try willCall(.read, nil, file: file)
        return try base.read(file, count, at: offset)
    }

    func readCached(_ file: Int32, _ count: Int) throws -> Data? {
        try willCall(.readCached, nil, file: file)
        return try base.readCached(file, count)
    }

    func write(_ bytes: Data, to file: Int32, at offset: Int) throws {
        let middle = bytes.count / 2
        try willCall(.write, nil, file: file)
        try base.write(bytes.prefix(middle), to: file, at: offset)
        try willCall(.writeRest, nil, file: file)
        try base.write(bytes.dropFirst(middle), to: file, at: offset + middle)
    }

    func truncate(_ file: Int32, to byteCount: Int) throws {
        try willCall(.truncate, nil, file: file)
        try base.truncate(file, to: byteCount)
    }

    func lock(_ file: Int32, waits: Bool) throws -> Bool {
        try willCall(.lock, nil, file: file)
        return try base.lock(file, waits: waits)
    }

    func unlock(_ file: Int32) { base.unlock(file) }

    func status(of file: Int32) throws -> FileStatus {
        try willCall(.status, nil, file: file)
        return try base.status(of: file)
    }

    func status(at path: String) throws -> FileStatus {
        try willCall(.status, path)
        return try base.status(at: path)
    }

    func setModified(_ nanoseconds: Int64, at path: String) throws {
        try willCall(.setModified, path)
        try base.setModified(nanoseconds, at: path)
    }

    func rename(_ path: String, to newPath: String) throws {
        try willCall(.rename, path)
        try base.rename(path, to: newPath)
    }

    func remove(_ path: String) throws {
        try willCall(.remove, path)
        try base.remove(path)
    }

    func makeFolder(_ path: String) throws {
        try willCall(.makeFolder, path)
        try base.makeFolder(path)
    }

    func list(_ path: String) throws -> [String] {
        try willCall(.list, path)
        return try base.list(path)
    }

    func availableBytes(at path: String) throws -> Int {
        try willCall(.availableBytes, path)
        return try availableBytes?() ?? base.availableBytes(at: path)
    }
}

extension FaultInjectingFileSystem.Fault {
    /// Counts a call. Returns the code if it fails.
    fileprivate mutating func code(of operation: FileSystemOperation) -> Int32? {
        guard operations.contains(operation) else { return nil }
        count += 1
        return numbers.contains(count) ? code : nil
    }
}
