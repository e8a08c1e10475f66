public import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file system in memory whose power can be cut. It knows what of it is on the device: the contents of a file as of its last
/// synchronisation, and the names in a folder as of that folder's. Nothing else need survive, as POSIX has it.
///
/// ```swift
/// let disk = SimulatedDisk(cutAfter: 40)
/// …  // the cache under test stores entries, and gets EIO from the 41st call on
/// let later = disk.restarted(after: .everything)
/// …  // what does a new launch find?
/// ```
/// Paths begin with a slash. There are no symbolic links, and no locks of other processes: where a lock would have to be waited for, that fails with
/// `EDEADLK`.
public final class SimulatedDisk: FileSystem {
    /// What becomes of all that was not synchronised.
    public enum Loss: Hashable, Sendable {
        /// Nothing: an orderly end.
        case nothing
        /// All of it.
        case everything
        /// Contents alone, whose lengths and names are kept: what was written reads as zeros.
        case contents
        /// Each name and each content has one fate of several.
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
        /// By path, as programs see them. The first folder is always there.
        var names = ["/": 0]
        /// By path, as they are on the device.
        var synchronizedNames = ["/": 0]
        var files: [Int32: OpenFile] = [:]
        var lastFile: Int32 = 100
        /// Which open file has the lock of a node.
        var locks: [Int: Int32] = [:]
        var callCount = 0
    }

    let state: Mutex<State>
    let boot: UInt64
    private let lastCall: Int

    /// - Parameter cutAfter: how many calls are carried out before there is no power any more.
    public convenience init(cutAfter lastCall: Int = .max) { self.init(State(), boot: 1, lastCall) }

    private init(_ state: State, boot: UInt64, _ lastCall: Int) {
        self.state = Mutex(state)
        self.boot = boot
        self.lastCall = lastCall
    }

    /// False once a call has failed for lack of it.
    public var hasPower: Bool { state.withLock { $0.callCount <= lastCall } }

    /// The lengths of all files.
    public var byteCount: Int {
        state.withLock { state in state.names.values.reduce(0) { $0 + state.nodes[$1].bytes.count } }
    }

    /// Of all files.
    public var paths: [String] {
        state.withLock { state in state.names.filter { !state.nodes[$0.value].isFolder }.map(\.key) }
    }

    /// The same disk in a machine that was started anew.
    public func restarted(after loss: Loss, cutAfter lastCall: Int = .max) -> SimulatedDisk {
        let state = state.withLock { $0 }
        var random = SeededRandom(seed: 0)
        if case .anything(let seed) = loss { random = SeededRandom(seed: seed) }
        var survivors = State()
        let paths = Set(state.names.keys).union(state.synchronizedNames.keys).sorted()
        // A folder comes before what is in it.
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
            // Some of what was written since, over what was there before.
            default: return Array(node.bytes.prefix(written) + (node.synchronized ?? zeros).dropFirst(written))
            }
        }
    }

    static func parent(_ path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    static func isName(_ path: String, in folder: String) -> Bool { path != "/" && parent(path) == folder }

    /// Carries a call out, unless there is no power.
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
