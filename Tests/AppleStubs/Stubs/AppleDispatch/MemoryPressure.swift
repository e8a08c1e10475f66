// Declarations of Apple's Dispatch that Dispatch on Linux doesn't have. Scripts/check-apple imports this module wherever
// a module imports Dispatch.
public import Dispatch
import Synchronization

extension DispatchSource {
    public struct MemoryPressureEvent: OptionSet {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var normal: MemoryPressureEvent { MemoryPressureEvent(rawValue: 1) }
        public static var warning: MemoryPressureEvent { MemoryPressureEvent(rawValue: 2) }
        public static var critical: MemoryPressureEvent { MemoryPressureEvent(rawValue: 4) }
    }

    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure {
        guard let source = DispatchSource.makeUserDataAddSource(queue: queue) as? DispatchSource else {
            fatalError("all sources of Dispatch on Linux are of this class")
        }
        MemoryPressureStub.sources.withLock { $0.append(ObservingSource(source: source, mask: eventMask)) }
        return source
    }
}

/// In SDKs since Xcode 27, the protocol is Sendable. Here it isn't, as in older ones, which accept less.
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
    var data: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSource: DispatchSourceMemoryPressure {
    public var data: MemoryPressureEvent { MemoryPressureEvent(rawValue: MemoryPressureStub.lastEvent.withLock { $0 }) }
}

/// Raises memory pressure in tests.
public enum MemoryPressureStub {
    fileprivate static let sources = Mutex<[ObservingSource]>([])
    fileprivate static let lastEvent = Mutex<UInt>(0)

    /// The number of sources that were created and not cancelled.
    public static var observingCount: Int { observing.count }

    private static var observing: [ObservingSource] {
        sources.withLock { sources in
            sources.removeAll { $0.source.isCancelled }
            return sources
        }
    }

    /// Sends an event to the sources that observe it.
    public static func raise(_ event: DispatchSource.MemoryPressureEvent) {
        lastEvent.withLock { $0 = event.rawValue }
        for source in observing where source.mask.contains(event) {
            (source.source as any DispatchSourceUserDataAdd).add(data: 1)
        }
    }
}

/// Retains the source until it is cancelled, so that tests notice one that is only released.
private struct ObservingSource: @unchecked Sendable {
    let source: DispatchSource
    let mask: DispatchSource.MemoryPressureEvent
}
