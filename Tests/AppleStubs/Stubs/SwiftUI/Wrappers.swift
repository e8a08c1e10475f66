public import Combine

/// What the copies of a property share.
final class Reference<Value> {
    var value: Value

    init(_ value: Value) { self.value = value }
}

@propertyWrapper
public struct State<Value>: HostedProperty {
    /// The storage of the value. It belongs to a node of the view tree.
    final class Location {
        var value: Value
        weak var host: (any UpdatingHost)?

        init(_ value: Value) { self.value = value }
    }

    let reference: Reference<Location>

    public init(wrappedValue value: Value) { reference = Reference(Location(value)) }

    public var wrappedValue: Value {
        get { reference.value.value }
        nonmutating set {
            reference.value.value = newValue
            reference.value.host?.setNeedsUpdate()
        }
    }

    @MainActor
    func attach(to node: HostedNode, at index: Int, in pass: DrawingPass) {
        if let kept = node.states[index] as? Location {
            reference.value = kept
        } else {
            node.states[index] = reference.value
            reference.value.host = pass.host
        }
    }
}

extension State: @unchecked Sendable where Value: Sendable {}

@MainActor
@preconcurrency
@propertyWrapper
public struct StateObject<ObjectType: ObservableObject>: HostedProperty {
    private nonisolated(unsafe) let make: () -> ObjectType
    private nonisolated(unsafe) let reference = Reference<ObjectType?>(nil)

    nonisolated public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) { make = thunk }

    public var wrappedValue: ObjectType { reference.value ?? make() }

    func attach(to node: HostedNode, at index: Int, in pass: DrawingPass) {
        let object = node.states[index] as? ObjectType ?? make()
        node.states[index] = object
        reference.value = object
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
    private let keyPath: KeyPath<EnvironmentValues, Value>
    private let reference = Reference(EnvironmentValues())

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
    public var wrappedValue: Value { reference.value[keyPath: keyPath] }

    @MainActor
    func attach(to node: HostedNode, at index: Int, in pass: DrawingPass) { reference.value = pass.environment }
}

extension Environment: @unchecked Sendable where Value: Sendable {}
