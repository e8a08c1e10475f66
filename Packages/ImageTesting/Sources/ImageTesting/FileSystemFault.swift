/// The calls of a `FileSystem` that can fail, by name.
public enum FileSystemOperation: String, Hashable, Sendable, CaseIterable {
    case openToRead, create, openToUpdate, openToReadAtOnce
    case status, setModified, availableBytes
    case read, readAtOnce
    /// The first half of what is to be written.
    case write
    /// The second half, after the first was written: where this fails, a write was cut short.
    case writeRest
    case truncate
    case lock, waitForLock
    case synchronize, synchronizeFolder
    case rename, remove, makeFolder, list
}

/// A call that a `FaultInjectingFileSystem` was asked for.
public struct FileSystemCall: Hashable, Sendable, CustomStringConvertible {
    /// From 1 on, in the order in which they came.
    public let number: Int
    public let operation: FileSystemOperation
    /// What it is about; for an open file the path by which it was opened.
    public let path: String

    public var description: String { "\(operation) of \(path), call \(number)" }
}

/// Which of the calls that a fault is for fail. Numbers count those calls alone, the next one after the fault was set being 1.
public enum FaultOccasion: Hashable, Sendable {
    case always
    case call(Int)
    case from(Int)
    /// Each so-manieth.
    case every(Int)
    /// So many of all, 0...1, chosen by chance; the same ones with the same seed.
    case random(share: Double, seed: UInt64)
}

/// Faults that were set and never met a call: the script of a test does not fit what happened.
public struct UnmetFaults: Error, Hashable, CustomStringConvertible {
    /// One for each fault, for people.
    public let faults: [String]

    public var description: String { "no call met \(faults.joined(separator: ", nor "))" }
}

/// A fault, and the calls it has seen.
struct InjectedFault: Sendable {
    let occasion: FaultOccasion
    let operations: Set<FileSystemOperation>
    let code: Int32
    private(set) var seenCount = 0
    private(set) var isMet = false
    var isOver = false
    private var random = SeededRandom(seed: 0)

    init(_ occasion: FaultOccasion, of operations: Set<FileSystemOperation>, code: Int32) {
        (self.occasion, self.operations, self.code) = (occasion, operations, code)
        if case .random(_, let seed) = occasion { random = SeededRandom(seed: seed) }
    }

    /// Counts the call; true when it fails.
    mutating func hits(_ operation: FileSystemOperation) -> Bool {
        guard !isOver, operations.contains(operation) else { return false }
        seenCount += 1
        let isHit = isDue()
        isMet = isMet || isHit
        return isHit
    }

    private mutating func isDue() -> Bool {
        switch occasion {
        case .always: true
        case .call(let number): seenCount == number
        case .from(let number): seenCount >= number
        case .every(let count): seenCount % max(1, count) == 0
        case .random(let share, _): Double.random(in: 0..<1, using: &random) < share
        }
    }

    var description: String {
        let names =
            operations.count == FileSystemOperation.allCases.count
            ? "any operation" : operations.map(\.rawValue).sorted().joined(separator: ", ")
        return "\(occasion) of \(names), which came \(seenCount) times"
    }
}

/// What is to fail, and all that was called.
struct FaultScript: Sendable {
    private(set) var log: [FileSystemCall] = []
    private var faults: [InjectedFault] = []

    mutating func add(_ fault: InjectedFault) { faults.append(fault) }

    mutating func recover() {
        for place in faults.indices { faults[place].isOver = true }
    }

    var unmet: [String] { faults.filter { !$0.isMet }.map(\.description) }

    /// Logs a call; tells the code with which it fails, that of the oldest fault which it meets. Each fault counts it.
    mutating func next(_ operation: FileSystemOperation, _ path: String) -> (call: FileSystemCall, code: Int32?) {
        let call = FileSystemCall(number: log.count + 1, operation: operation, path: path)
        log.append(call)
        var code: Int32?
        for place in faults.indices where faults[place].hits(operation) { code = code ?? faults[place].code }
        return (call, code)
    }
}
