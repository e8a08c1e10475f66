// The API that SignpostObserver needs.
import Synchronization

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
    public var isEnabled: Bool { SignpostStub.isRecording }

    public func makeSignpostID() -> OSSignpostID {
        OSSignpostID(number: SignpostStub.lastID.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    public func beginInterval(_ name: StaticString, id: OSSignpostID) -> OSSignpostIntervalState {
        SignpostStub.add("begin \(name)")
        return OSSignpostIntervalState(id: id)
    }

    public func beginInterval(
        _ name: StaticString, id: OSSignpostID, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState {
        SignpostStub.add("begin \(name) \(message.text)")
        return OSSignpostIntervalState(id: id)
    }

    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) { SignpostStub.add("end \(name)") }

    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {
        SignpostStub.add("end \(name) \(message.text)")
    }
}

/// The intervals that were begun and ended, for tests.
public enum SignpostStub {
    fileprivate static let lastID = Atomic(0)
    private static let recording = Mutex(true)
    /// Whether Instruments records.
    public static var isRecording: Bool {
        get { recording.withLock { $0 } }
        set { recording.withLock { $0 = newValue } }
    }
    private static let log = Mutex<[String]>([])

    fileprivate static func add(_ line: String) { log.withLock { $0.append(line) } }

    /// Returns the intervals since the last call.
    public static func takeLog() -> [String] {
        log.withLock { log in
            defer { log = [] }
            return log
        }
    }
}
