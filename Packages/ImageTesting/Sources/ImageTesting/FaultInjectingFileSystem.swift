public import ImageCore
import Synchronization

/// A file system that injects errors into its calls: into a call by number, every n-th call, or random calls.
///
/// ```swift
/// let files = FaultInjectingFileSystem(over: SimulatedDisk())
/// let cache = DiskDataCache(directory: folder, fileSystem: files, now: { time })
/// files.fail(.call(2), of: [.rename], with: EIO)
/// files.fail(.every(3), of: [.writeRest], with: ENOSPC)  // partial writes
/// …
/// files.recover()
/// try files.expectAllFaultsUsed()  // throws if a fault never occurred
/// ```
/// Each write consists of two calls, one for each half, so that it can fail in its middle. Calls that can't fail
/// (`close`, `unlock`, `bootNumber` and `scatterFolders`) are forwarded and not logged.
public final class FaultInjectingFileSystem: ForwardingFileSystem {
    /// A function that is called before each call. It can throw, wait at a gate, read the files, or end the process.
    public typealias Interception = @Sendable (FileSystemCall) throws(FileSystemFailure) -> Void

    private struct State: Sendable {
        var script = FaultScript()
        /// The paths of the open files.
        var paths: [Int32: String] = [:]
    }

    /// The file system that performs the calls.
    public let base: any FileSystem
    let refusesNonblocking: Bool
    private let interception: Interception
    private let state = Mutex(State())

    /// Creates a file system.
    ///
    /// - Parameters:
    ///   - base: The file system that performs the calls, such as a `SimulatedDisk` or the operating system.
    ///   - refusesNonblocking: Whether nonblocking calls return nil, as if no file were in memory. They aren't logged
    ///     then.
    ///   - interception: A function that is called before each call, without a lock.
    public init(
        over base: any FileSystem, refusesNonblocking: Bool = false,
        _ interception: @escaping Interception = { _ throws(FileSystemFailure) in }
    ) {
        self.base = base
        self.refusesNonblocking = refusesNonblocking
        self.interception = interception
    }

    /// All calls so far, including failed ones.
    public var log: [FileSystemCall] { state.withLock { $0.script.log } }

    /// The kinds of all calls so far.
    public var operations: [FileSystemOperation] { log.map(\.operation) }

    /// Injects a fault into later calls, in addition to earlier faults.
    ///
    /// - Parameters:
    ///   - trigger: The calls that fail.
    ///   - operations: The kinds of calls that the trigger counts. All kinds by default.
    ///   - code: The value of errno.
    public func fail(
        _ trigger: FaultTrigger, of operations: Set<FileSystemOperation> = Set(FileSystemOperation.allCases),
        with code: Int32
    ) {
        state.withLock { $0.script.add(InjectedFault(trigger, of: operations, code: code)) }
    }

    /// Ends all faults.
    public func recover() { state.withLock { $0.script.recover() } }

    /// Throws `UnusedFaults` if a fault never occurred, even if it has ended.
    public func expectAllFaultsUsed() throws(UnusedFaults) {
        let unused = state.withLock { $0.script.unused }
        if !unused.isEmpty { throw UnusedFaults(faults: unused) }
    }

    func willCall(_ operation: FileSystemOperation, _ path: String) throws(FileSystemFailure) {
        try willCall(operation) { _ in path }
    }

    func willCall(_ operation: FileSystemOperation, _ file: Int32) throws(FileSystemFailure) {
        try willCall(operation) { $0[file] ?? "a closed file" }
    }

    private func willCall(
        _ operation: FileSystemOperation, path: ([Int32: String]) -> String
    ) throws(FileSystemFailure) {
        let (call, code) = state.withLock { $0.script.next(operation, path($0.paths)) }
        if let code { throw FileSystemFailure(call: operation.rawValue, code: code) }
        try interception(call)
    }

    func opened(_ file: Int32, _ path: String) -> Int32 {
        state.withLock { $0.paths[file] = path }
        return file
    }

    public func close(_ file: Int32) {
        // Before the file is closed, because another file can get its number immediately after.
        state.withLock { $0.paths[file] = nil }
        base.close(file)
    }
}
