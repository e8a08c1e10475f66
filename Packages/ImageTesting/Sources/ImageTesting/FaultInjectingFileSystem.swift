public import ImageCore
import Synchronization

/// A file system whose calls fail as a test says: one by its number, each so-manieth, all of a kind, or some by chance.
///
/// ```swift
/// let files = FaultInjectingFileSystem(over: SimulatedDisk())
/// let cache = DiskDataCache(directory: folder, fileSystem: files, now: { time })
/// files.fail(.call(2), of: [.rename], with: EIO)
/// files.fail(.every(3), of: [.writeRest], with: ENOSPC)  // writes that are cut short
/// …
/// files.recover()
/// try files.expectFaultsMet()  // throws when the script named a call that never came
/// ```
/// Writes are made in two halves, each a call of its own, so that something can happen in the middle of one. What can't fail
/// (`close`, `unlock`, `bootNumber`, `scatterFolders`) is passed on and not logged.
public final class FaultInjectingFileSystem: ForwardingFileSystem {
    /// Told of a call before it is made, it may let the call fail, hold it at a gate, look at the files, or end the process.
    public typealias Interception = @Sendable (FileSystemCall) throws(FileSystemFailure) -> Void

    private struct State: Sendable {
        var script = FaultScript()
        /// The paths of what is open.
        var paths: [Int32: String] = [:]
    }

    public let base: any FileSystem
    let refusesAtOnce: Bool
    private let interception: Interception
    private let state = Mutex(State())

    /// - Parameters:
    ///   - base: where calls that don't fail go: a `SimulatedDisk`, or the operating system.
    ///   - refusesAtOnce: as if nothing were in memory: calls that refuse to wait for a device refuse, and are not logged.
    ///   - interception: called before each call, with no lock held.
    public init(
        over base: any FileSystem, refusesAtOnce: Bool = false,
        _ interception: @escaping Interception = { _ throws(FileSystemFailure) in }
    ) {
        self.base = base
        self.refusesAtOnce = refusesAtOnce
        self.interception = interception
    }

    /// All calls so far, those that failed included.
    public var log: [FileSystemCall] { state.withLock { $0.script.log } }

    /// The kinds of all calls so far.
    public var operations: [FileSystemOperation] { log.map(\.operation) }

    /// Lets calls fail from now on, beside those of earlier faults.
    ///
    /// - Parameters:
    ///   - operations: which kinds of calls; all unless told.
    ///   - code: the value of errno.
    public func fail(
        _ occasion: FaultOccasion, of operations: Set<FileSystemOperation> = Set(FileSystemOperation.allCases),
        with code: Int32
    ) {
        state.withLock { $0.script.add(InjectedFault(occasion, of: operations, code: code)) }
    }

    /// Ends all faults.
    public func recover() { state.withLock { $0.script.recover() } }

    /// Throws when a fault, ended or not, has failed no call.
    public func expectFaultsMet() throws(UnmetFaults) {
        let unmet = state.withLock { $0.script.unmet }
        if !unmet.isEmpty { throw UnmetFaults(faults: unmet) }
    }

    func announce(_ operation: FileSystemOperation, _ path: String) throws(FileSystemFailure) {
        try announce(operation) { _ in path }
    }

    func announce(_ operation: FileSystemOperation, _ file: Int32) throws(FileSystemFailure) {
        try announce(operation) { $0[file] ?? "what is not open" }
    }

    private func announce(
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
        // Before: its number may be given to another file at once.
        state.withLock { $0.paths[file] = nil }
        base.close(file)
    }
}
