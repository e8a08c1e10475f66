public import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file system in memory that simulates power cuts.
///
/// As POSIX specifies, only synchronized data is sure to survive: the contents of a file as of its last
/// synchronization, and the names in a folder as of the synchronization of that folder.
///
/// ```swift
/// let disk = SimulatedDisk(powerCutAfter: 40)
/// …  // the cache under test stores entries, and calls fail with EIO from the 41st
/// let later = disk.restarted(after: .everything)
/// …  // check what a new cache finds
/// ```
/// Paths begin with a slash. There are no symbolic links and no other processes: waiting for a lock fails with
/// `EDEADLK`.
public final class SimulatedDisk: FileSystem {
    /// The data that a power cut destroys, of all that was not synchronized.
    public enum Loss: Hashable, Sendable {
        /// Nothing, as after a normal shutdown.
        case nothing
        /// All unsynchronized data.
        case everything
        /// The contents of files, which read as zeros. Names and lengths survive.
        case contents
        /// Random names and contents, selected by the seed.
        case anything(seed: UInt64)
    }

    struct Node {
        var isFolder = false
        var bytes: [UInt8] = []
        var synchronized: [UInt8]?
        var modified: Int64 = 0
    }

    struct OpenFile {
        var node: Int
        var offset = 0
    }

    struct State {
        var nodes = [Node(isFolder: true)]
        /// The nodes by path, as processes see them. The root folder always exists.
        var names = ["/": 0]
        /// The nodes by path, as stored on the device.
        var synchronizedNames = ["/": 0]
        var files: [Int32: OpenFile] = [:]
        var lastFile: Int32 = 100
        /// The open file that has the lock of each node.
        var locks: [Int: Int32] = [:]
        var callCount = 0
    }

    let state: Mutex<State>
    let boot: UInt64
    private let lastCall: Int

    /// Creates an empty disk.
    ///
    /// - Parameter lastCall: The number of calls that succeed before the power is cut.
    public convenience init(powerCutAfter lastCall: Int = .max) { self.init(State(), boot: 1, lastCall) }

    private init(_ state: State, boot: UInt64, _ lastCall: Int) {
        self.state = Mutex(state)
        self.boot = boot
        self.lastCall = lastCall
    }

    /// Whether the disk has power. False after the first call that failed without power.
    public var hasPower: Bool { state.withLock { $0.callCount <= lastCall } }

    /// The total length of all files, in bytes.
    public var byteCount: Int {
        state.withLock { state in state.names.values.reduce(0) { $0 + state.nodes[$1].bytes.count } }
    }

    /// The paths of all files.
    public var paths: [String] {
        state.withLock { state in state.names.filter { !state.nodes[$0.value].isFolder }.map(\.key) }
    }

    /// Returns the disk after a restart of the machine.
    ///
    /// - Parameters:
    ///   - loss: The unsynchronized data that is lost.
    ///   - lastCall: The number of calls that succeed before the power is cut again.
    public func restarted(after loss: Loss, powerCutAfter lastCall: Int = .max) -> SimulatedDisk {
        let state = state.withLock { $0 }
        var random = SeededRandom(seed: 0)
        if case .anything(let seed) = loss { random = SeededRandom(seed: seed) }
        var survivors = State()
        let paths = Set(state.names.keys).union(state.synchronizedNames.keys).sorted()
        // A folder is sorted before its contents.
        for path in paths where path != "/" && survivors.names[Self.parent(path)] != nil {
            guard let number = Self.survivor(path, of: state, loss, &random) else { continue }
            var node = state.nodes[number]
            node.bytes = node.isFolder ? [] : Self.survivor(node, loss, &random)
            node.synchronized = node.bytes
            survivors.nodes.append(node)
            survivors.names[path] = survivors.nodes.count - 1
        }
        survivors.synchronizedNames = survivors.names
        return SimulatedDisk(survivors, boot: boot + 1, lastCall)
    }

    private static func survivor(_ path: String, of state: State, _ loss: Loss, _ random: inout SeededRandom) -> Int? {
        switch loss {
        case .nothing, .contents: state.names[path]
        case .everything: state.synchronizedNames[path]
        case .anything: (Bool.random(using: &random) ? state.names : state.synchronizedNames)[path]
        }
    }

    private static func survivor(_ node: Node, _ loss: Loss, _ random: inout SeededRandom) -> [UInt8] {
        switch loss {
        case .nothing: return node.bytes
        case .everything: return node.synchronized ?? []
        case .contents: return node.synchronized ?? [UInt8](repeating: 0, count: node.bytes.count)
        case .anything:
            let written = Int.random(in: 0...node.bytes.count, using: &random)
            let zeros = [UInt8](repeating: 0, count: node.bytes.count)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return node.bytes
            case 1: return node.synchronized ?? Array(node.bytes.prefix(written))
            case 2: return node.synchronized ?? []
            // A part of the unsynchronized data overwrites the synchronized data.
            default: return Array(node.bytes.prefix(written) + (node.synchronized ?? zeros).dropFirst(written))
            }
        }
    }

    static func parent(_ path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    static func isName(_ path: String, in folder: String) -> Bool { path != "/" && parent(path) == folder }

    /// Performs a call, or fails with `EIO` if there is no power.
    func call<Result: Sendable>(
        _ name: String, _ body: (inout State) throws(FileSystemFailure) -> Result
    ) throws(FileSystemFailure) -> Result {
        let result: Swift.Result<Result, FileSystemFailure> = state.withLock { state in
            state.callCount += 1
            if state.callCount > lastCall { return .failure(FileSystemFailure(call: name, code: EIO)) }
            do throws(FileSystemFailure) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
