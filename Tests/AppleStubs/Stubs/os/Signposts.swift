// Stub declarations of the API that SignpostObserver needs. Each has a link to its page in Apple's reference.
import Synchronization

/// https://developer.apple.com/documentation/os/ossignpostid
public struct OSSignpostID: Hashable, Sendable {
    fileprivate let number: Int
}

/// Not Sendable here, which accepts less than an SDK in which it is.
/// https://developer.apple.com/documentation/os/ossignpostintervalstate
public final class OSSignpostIntervalState {
    fileprivate let id: OSSignpostID

    fileprivate init(id: OSSignpostID) { self.id = id }
}

/// https://developer.apple.com/documentation/os/signpostmetadata
public struct SignpostMetadata: ExpressibleByStringInterpolation, Sendable {
    fileprivate let text: String

    public init(stringLiteral value: String) { text = value }

    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// https://developer.apple.com/documentation/os/osloginterpolation
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// https://developer.apple.com/documentation/os/osloginterpolation/appendinterpolation(_:align:privacy:)-9l6k8
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto
    ) {
        text += privacy == .public ? argumentString() : "<private>"
    }
}

/// https://developer.apple.com/documentation/os/oslogprivacy
public struct OSLogPrivacy: Equatable, Sendable {
    private let isPublic: Bool

    /// https://developer.apple.com/documentation/os/oslogprivacy/public
    public static var `public`: OSLogPrivacy { OSLogPrivacy(isPublic: true) }
    /// https://developer.apple.com/documentation/os/oslogprivacy/auto
    public static var auto: OSLogPrivacy { OSLogPrivacy(isPublic: false) }
}

/// https://developer.apple.com/documentation/os/ossignposter
public struct OSSignposter: Sendable {
    /// https://developer.apple.com/documentation/os/oslog/category
    public enum Category: Sendable {
        case pointsOfInterest
    }

    public init(subsystem: String, category: String) {}

    public init(subsystem: String, category: Category) {}

    /// https://developer.apple.com/documentation/os/ossignposter/isenabled
    public var isEnabled: Bool { SignpostStub.isRecording }

    public func makeSignpostID() -> OSSignpostID {
        OSSignpostID(
            number: SignpostStub.lastID.withLock {
                $0 += 1
                return $0
            })
    }

    /// https://developer.apple.com/documentation/os/ossignposter/begininterval(_:id:)
    public func beginInterval(_ name: StaticString, id: OSSignpostID) -> OSSignpostIntervalState {
        SignpostStub.add("begin \(name)")
        return OSSignpostIntervalState(id: id)
    }

    /// https://developer.apple.com/documentation/os/ossignposter/begininterval(_:id:_:)
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID, _ message: SignpostMetadata
    ) -> OSSignpostIntervalState {
        SignpostStub.add("begin \(name) \(message.text)")
        return OSSignpostIntervalState(id: id)
    }

    /// https://developer.apple.com/documentation/os/ossignposter/endinterval(_:_:)
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {
        SignpostStub.add("end \(name)")
    }

    /// https://developer.apple.com/documentation/os/ossignposter/endinterval(_:_:_:)
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {
        SignpostStub.add("end \(name) \(message.text)")
    }
}

/// The intervals that were begun and ended, for tests.
public enum SignpostStub {
    fileprivate static let lastID = Mutex(0)
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
