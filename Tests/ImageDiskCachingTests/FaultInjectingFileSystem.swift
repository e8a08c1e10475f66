import Synchronization

@testable import ImageDiskCaching

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A call of a `FaultInjectingFileSystem`.
struct FileSystemCall: CustomStringConvertible {
    /// The number of the call, from 1.
    let number: Int
    let operation: FileSystem.Call
    /// Empty for a call of an open file.
    let path: String

    var description: String { "\(operation) of \(path), call \(number)" }
}

/// Makes calls of the file system fail, logs them, and calls a function before each of them.
final class FaultInjectingFileSystem: Sendable {
    /// A function that is called before each call. It can throw, read the files, or end the process.
    typealias Interception = @Sendable (FileSystemCall) throws -> Void

    private struct State {
        var log: [FileSystemCall] = []
        var operations: Set<FileSystem.Call> = []
        var numbers = 0...0
        var code: Int32 = 0
        var count = 0
    }

    private let interception: Interception
    private let state = Mutex(State())

    init(_ interception: @escaping Interception = { _ in }) { self.interception = interception }

    /// The file system whose calls fail.
    var files: FileSystem { FileSystem(firstWrite: { ($0 + 1) / 2 }) { call, path in try self.willCall(call, path) } }
    var log: [FileSystemCall] { state.withLock { $0.log } }
    var operations: [FileSystem.Call] { log.map(\.operation) }

    /// Makes calls fail.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the calls that fail, counted from 1 from now on.
    ///   - operations: The kinds of calls that are counted.
    func fail(
        _ numbers: ClosedRange<Int> = 1...Int.max,
        of operations: Set<FileSystem.Call> = Set(FileSystem.Call.allCases), with code: Int32
    ) {
        state.withLock { state in
            state.operations = operations
            state.numbers = numbers
            state.code = code
            state.count = 0
        }
    }

    /// Ends the fault.
    func recover() { state.withLock { $0.operations = [] } }

    private func willCall(_ operation: FileSystem.Call, _ path: String) throws {
        let (call, code) = state.withLock { state in
            let call = FileSystemCall(number: state.log.count + 1, operation: operation, path: path)
            state.log.append(call)
            guard state.operations.contains(operation) else { return (call, nil as Int32?) }
            state.count += 1
            return (call, state.numbers.contains(state.count) ? state.code : nil)
        }
        if let code { throw FileSystemFailure(call: operation.rawValue, code: code) }
        try interception(call)
    }
}

/// A file system in which no file is in memory, so that nonblocking calls are refused.
func coldFiles(_ onCall: @escaping @Sendable () -> Void) -> FileSystem {
    FileSystem(firstWrite: { ($0 + 1) / 2 }) { call, _ in
        if call == .openCached { throw FileSystemFailure(call: "open", code: EAGAIN) }
        onCall()
    }
}
