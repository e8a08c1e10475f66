/// The calls of a `FileSystem` that can fail, with the names of its methods. A write has two cases.
public enum FileSystemOperation: String, Hashable, Sendable, CaseIterable {
    /// Calls of the methods with these names.
    case openToRead, create, openToUpdate, openToReadNonblocking
    /// Calls of the methods with these names.
    case status, setModified, availableBytes
    /// Calls of the methods with these names.
    case read, readNonblocking
    /// The first half of a write.
    case write
    /// The second half of a write. If it fails, the write is partial.
    case writeRest
    /// A call of `truncate`.
    case truncate
    /// Calls of the methods with these names.
    case lock, waitForLock
    /// Calls of the methods with these names.
    case synchronize, synchronizeFolder
    /// Calls of the methods with these names.
    case rename, remove, makeFolder, list
}

/// A call of a `FaultInjectingFileSystem`.
public struct FileSystemCall: Hashable, Sendable, CustomStringConvertible {
    /// The number of the call, from 1.
    public let number: Int
    /// The kind of the call.
    public let operation: FileSystemOperation
    /// The path of the file or folder. For an open file, the path with which it was opened.
    public let path: String

    /// The operation, the path and the number of the call.
    public var description: String { "\(operation) of \(path), call \(number)" }
}

/// Determines which calls of a fault's operations fail. The first call after the fault was injected has number 1.
public enum FaultTrigger: Hashable, Sendable {
    /// Every call.
    case always
    /// The call with this number.
    case call(Int)
    /// The call with this number and all later calls.
    case from(Int)
    /// Every n-th call.
    case every(Int)
    /// Random calls, with a share of 0...1. The same seed selects the same calls.
    case random(share: Double, seed: UInt64)
}

/// An error for injected faults that never occurred.
public struct UnusedFaults: Error, Hashable, CustomStringConvertible {
    /// A description of each fault.
    public let faults: [String]

    /// A description of all faults.
    public var description: String { "unused faults: \(faults.joined(separator: "; "))" }
}

/// A fault and the number of calls that it has counted.
struct InjectedFault: Sendable {
    let trigger: FaultTrigger
    let operations: Set<FileSystemOperation>
    let code: Int32
    private(set) var callCount = 0
    private(set) var isUsed = false
    var hasEnded = false
    private var random = SeededRandom(seed: 0)

    init(_ trigger: FaultTrigger, of operations: Set<FileSystemOperation>, code: Int32) {
        (self.trigger, self.operations, self.code) = (trigger, operations, code)
        if case .random(_, let seed) = trigger { random = SeededRandom(seed: seed) }
    }

    /// Counts a call. Returns true if it fails.
    mutating func applies(to operation: FileSystemOperation) -> Bool {
        guard !hasEnded, operations.contains(operation) else { return false }
        callCount += 1
        let fails = isTriggered()
        isUsed = isUsed || fails
        return fails
    }

    private mutating func isTriggered() -> Bool {
        switch trigger {
        case .always: true
        case .call(let number): callCount == number
        case .from(let number): callCount >= number
        case .every(let count): callCount % max(1, count) == 0
        case .random(let share, _): Double.random(in: 0..<1, using: &random) < share
        }
    }

    var description: String {
        let names =
            operations.count == FileSystemOperation.allCases.count
            ? "any operation" : operations.map(\.rawValue).sorted().joined(separator: ", ")
        return "\(trigger) of \(names), called \(callCount) times"
    }
}

/// The injected faults and the log of all calls.
struct FaultScript: Sendable {
    private(set) var log: [FileSystemCall] = []
    private var faults: [InjectedFault] = []

    mutating func add(_ fault: InjectedFault) { faults.append(fault) }

    mutating func recover() {
        for index in faults.indices { faults[index].hasEnded = true }
    }

    var unused: [String] { faults.filter { !$0.isUsed }.map(\.description) }

    /// Logs a call and lets each fault count it. Returns the code of the oldest fault that applies, if any.
    mutating func next(_ operation: FileSystemOperation, _ path: String) -> (call: FileSystemCall, code: Int32?) {
        let call = FileSystemCall(number: log.count + 1, operation: operation, path: path)
        log.append(call)
        var code: Int32?
        for index in faults.indices where faults[index].applies(to: operation) { code = code ?? faults[index].code }
        return (call, code)
    }
}
