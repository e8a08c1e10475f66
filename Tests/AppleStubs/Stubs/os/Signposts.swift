// The API that SignpostObserver needs.
public import Synchronization

public struct OSSignpostID: Hashable, Sendable {
    fileprivate let number: Int
}

/// Not Sendable here, which accepts less than an SDK in which it is.
public final class OSSignpostIntervalState {
    fileprivate let id: OSSignpostID

    fileprivate init(id: OSSignpostID) { self.id = id }
}

public struct SignpostMetadata: ExpressibleByStringInterpolation, Sendable {
    fileprivate let text: String

    public init(stringLiteral value: String) { text = value }
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) { text += literal }

    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto
    ) {
        text += privacy == .public ? argumentString() : "<private>"
    }
}

public struct OSLogPrivacy: Equatable, Sendable {
    private let isPublic: Bool

    public static var `public`: OSLogPrivacy { OSLogPrivacy(isPublic: true) }
    public static var auto: OSLogPrivacy { OSLogPrivacy(isPublic: false) }
}

public struct OSSignposter: Sendable {
    public enum Category: Sendable { case pointsOfInterest }

    public init(subsystem: String, category: String) {}
    public init(subsystem: String, category: Category) {}
    public var isEnabled: Bool { SignpostStub.isRecording.withLock { $0 } }

    public func makeSignpostID() -> OSSignpostID {
        OSSignpostID(number: SignpostStub.lastID.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Two methods there, one without a message.
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID, _ message: SignpostMetadata = ""
    ) -> OSSignpostIntervalState {
        SignpostStub.add("begin \(name)", message)
        return OSSignpostIntervalState(id: id)
    }

    /// Two methods there, one without a message.
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata = "") {
        SignpostStub.add("end \(name)", message)
    }
}

/// The intervals that were begun and ended, for tests.
public enum SignpostStub {
    fileprivate static let lastID = Atomic(0)
    /// Whether Instruments records.
    public static let isRecording = Mutex(true)
    private static let log = Mutex<[String]>([])

    fileprivate static func add(_ line: String, _ message: SignpostMetadata) {
        log.withLock { $0.append(message.text.isEmpty ? line : line + " " + message.text) }
    }

    /// Returns the intervals since the last call.
    public static func takeLog() -> [String] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }
}
