public import Combine

@propertyWrapper
public struct State<Value>: HostedProperty {
    /// The storage of the value. It belongs to a node of the view tree.
    final class Location {
        var value: Value
        weak var host: (any UpdatingHost)?

        init(_ value: Value) { self.value = value }
    }

    final class Reference {
        var location: Location

        init(_ location: Location) { self.location = location }
    }

    let reference: Reference

    public init(wrappedValue value: Value) { reference = Reference(Location(value)) }

    public var wrappedValue: Value {
        get { reference.location.value }
        nonmutating set {
            reference.location.value = newValue
            reference.location.host?.setNeedsUpdate()
        }
    }

    @MainActor
    func attach(to node: HostedNode, at index: Int, in pass: DrawingPass) {
        if let kept = node.states[index] as? Location {
            reference.location = kept
        } else {
            node.states[index] = reference.location
            reference.location.host = pass.host
        }
    }
}

extension State: @unchecked Sendable where Value: Sendable {}

@MainActor
@preconcurrency
@propertyWrapper
public struct StateObject<ObjectType: ObservableObject>: HostedProperty {
    nonisolated final class Reference {
        var object: ObjectType?
    }

    private nonisolated(unsafe) let make: () -> ObjectType
    private nonisolated(unsafe) let reference: Reference

    nonisolated public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {
        make = thunk
        reference = Reference()
    }

    public var wrappedValue: ObjectType { reference.object ?? make() }

    func attach(to node: HostedNode, at index: Int, in pass: DrawingPass) {
        let object = node.states[index] as? ObjectType ?? make()
        node.states[index] = object
        reference.object = object
    }
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    /// Read-only in SwiftUI.
    public var accessibilityReduceMotion = false
    /// Read-only in SwiftUI.
    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    public var accessibilityPlayAnimatedImages = true
    public var scenePhase = ScenePhase.active
    public var displayScale: CGFloat = 1
    public init() {}

    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

@propertyWrapper
public struct Environment<Value>: HostedProperty {
    private final class Reference {
        var values = EnvironmentValues()
    }

    private let keyPath: KeyPath<EnvironmentValues, Value>
    private let reference = Reference()

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
    public var wrappedValue: Value { reference.values[keyPath: keyPath] }

    @MainActor
    func attach(to node: HostedNode, at index: Int, in pass: DrawingPass) { reference.values = pass.environment }
}

extension Environment: @unchecked Sendable where Value: Sendable {}
