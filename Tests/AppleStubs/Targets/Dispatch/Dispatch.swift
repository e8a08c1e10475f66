@_exported import Darwin

public struct DispatchTime: Comparable, Sendable {
    public static func now() -> DispatchTime { fatalError() }
    public var uptimeNanoseconds: UInt64 { 0 }
    public static func < (left: DispatchTime, right: DispatchTime) -> Bool { false }
}

public enum DispatchTimeInterval: Equatable, Sendable {
    case seconds(Int)
    case milliseconds(Int)
    case never
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }

public struct DispatchQoS: Equatable, Sendable {
    public static let utility = DispatchQoS()
    public static let userInitiated = DispatchQoS()
    public static let unspecified = DispatchQoS()
}

public struct DispatchWorkItemFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

open class DispatchObject {
    init() {}
}

public final class DispatchQueue: DispatchObject, @unchecked Sendable {
    public struct Attributes: OptionSet, Sendable {
        public static let concurrent = Attributes(rawValue: 1)
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
    }

    public enum AutoreleaseFrequency { case inherit, workItem, never }

    public static var main: DispatchQueue { fatalError() }
    public static func global() -> DispatchQueue { fatalError() }

    public init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) {}

    public func async(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], execute: @escaping @Sendable () -> Void
    ) {}
    public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute: @escaping @Sendable () -> Void
    ) {}
    public func sync<Value>(execute: () throws -> Value) rethrows -> Value { try execute() }
    public static func concurrentPerform(iterations: Int, execute: (Int) -> Void) {}
}

public enum DispatchTimeoutResult { case success, timedOut }

public final class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    public init(value: Int) {}
    @available(*, noasync)
    public func wait() {}
    @available(*, noasync)
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
    @discardableResult
    public func signal() -> Int { 0 }
}

public class DispatchGroup: DispatchObject, @unchecked Sendable {
    public override init() {}
    public func enter() {}
    public func leave() {}
    @available(*, noasync)
    public func wait() {}
    @available(*, noasync)
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
}

extension DispatchQueue {
    public func async(group: DispatchGroup, execute: @escaping @Sendable () -> Void) {}
}

public protocol DispatchSourceProtocol: AnyObject {
    func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?)
    func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?)
    func activate()
    func cancel()
}

extension DispatchSourceProtocol {
    public func setEventHandler(handler: (@Sendable () -> Void)?) {}
    public func setCancelHandler(handler: (@Sendable () -> Void)?) {}
}

public protocol DispatchSourceTimer: DispatchSourceProtocol {}

extension DispatchSourceTimer {
    public func schedule(
        deadline: DispatchTime, repeating: DispatchTimeInterval, leeway: DispatchTimeInterval = .milliseconds(0)
    ) {}
}

public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol {}

public class DispatchSource: DispatchObject, DispatchSourceProtocol {
    public class func makeTimerSource(queue: DispatchQueue? = nil) -> any DispatchSourceTimer { fatalError() }
    public class func makeUserDataAddSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataAdd {
        fatalError()
    }
    public func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?) {}
    public func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable () -> Void)?) {}
    public func activate() {}
    public func cancel() {}
    public var isCancelled: Bool { false }
}
