import Synchronization

/// https://developer.apple.com/documentation/swiftui/state
@propertyWrapper
public struct State<Value>: HostedProperty {
    /// The storage of the value. It belongs to a node of the view tree.
    final class Location {
        var value: Value
        weak var host: (any RedrawingHost)?

        init(_ value: Value) { self.value = value }
    }

    final class Reference {
        var location: Location

        init(_ location: Location) { self.location = location }
    }

    let reference: Reference

    /// https://developer.apple.com/documentation/swiftui/state/init(wrappedvalue:)
    public init(wrappedValue value: Value) { reference = Reference(Location(value)) }

    /// https://developer.apple.com/documentation/swiftui/state/init(initialvalue:)
    public init(initialValue value: Value) { self.init(wrappedValue: value) }

    /// https://developer.apple.com/documentation/swiftui/state/wrappedvalue
    public var wrappedValue: Value {
        get { reference.location.value }
        nonmutating set {
            reference.location.value = newValue
            reference.location.host?.redrawSoon()
        }
    }

    @MainActor
    func attach(to node: HostedNode, at index: Int, of host: any RedrawingHost) {
        if let kept = node.states[index] as? Location {
            reference.location = kept
        } else {
            node.states[index] = reference.location
            reference.location.host = host
        }
    }
}

/// https://developer.apple.com/documentation/swiftui/environmentvalues
public struct EnvironmentValues {
    /// https://developer.apple.com/documentation/swiftui/environmentvalues/accessibilityreducemotion
    public var accessibilityReduceMotion: Bool { TestHostEnvironment.reducesMotion }
}

/// https://developer.apple.com/documentation/swiftui/environment
@propertyWrapper
public struct Environment<Value> {
    private let keyPath: KeyPath<EnvironmentValues, Value>

    /// https://developer.apple.com/documentation/swiftui/environment/init(_:)
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

    /// https://developer.apple.com/documentation/swiftui/environment/wrappedvalue
    public var wrappedValue: Value { EnvironmentValues()[keyPath: keyPath] }
}

/// The environment of all hosts. Not part of SwiftUI.
public enum TestHostEnvironment {
    private static let motion = Mutex(false)

    public static var reducesMotion: Bool {
        get { motion.withLock { $0 } }
        set { motion.withLock { $0 = newValue } }
    }
}
