extension View {
    /// https://developer.apple.com/documentation/swiftui/view/task(id:name:priority:file:line:_:)
    nonisolated public func task<T: Equatable>(
        id: T, name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID, line: Int = #line,
        _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View {
        Modified(content: self, modifier: .task(AnyID(id), TaskAction(action)))
    }

    /// https://developer.apple.com/documentation/swiftui/view/onappear(perform:)
    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        Modified(content: self, modifier: .onAppear(action ?? {}))
    }

    /// https://developer.apple.com/documentation/swiftui/view/ondisappear(perform:)
    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        Modified(content: self, modifier: .onDisappear(action ?? {}))
    }

    /// https://developer.apple.com/documentation/swiftui/view/ontapgesture(count:perform:)
    nonisolated public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
        Modified(content: self, modifier: .onTap(action))
    }

    /// https://developer.apple.com/documentation/swiftui/view/animation(_:value:)
    nonisolated public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View {
        Modified(content: self, modifier: .animation(animation, AnyID(value)))
    }

    /// https://developer.apple.com/documentation/swiftui/view/opacity(_:)
    nonisolated public func opacity(_ opacity: Double) -> some View {
        Modified(content: self, modifier: .none)
    }
}

// The rest of this file is not part of SwiftUI.

/// A type-erased equatable value.
struct AnyID {
    private let value: Any
    private let isEqual: (Any) -> Bool

    init<Value: Equatable>(_ value: Value) {
        self.value = value
        isEqual = { $0 as? Value == value }
    }

    func equals(_ other: AnyID) -> Bool { isEqual(other.value) }
}

/// The action of a view's task.
struct TaskAction: Sendable {
    let run: @isolated(any) @Sendable () async -> Void

    init(_ action: sending @escaping @isolated(any) () async -> Void) {
        let box = ActionBox(action)
        run = { await box.action() }
    }
}

/// It is unchecked because the action was transferred by `sending`, so nothing else has access to it.
private final class ActionBox: @unchecked Sendable {
    let action: @isolated(any) () async -> Void

    init(_ action: @escaping @isolated(any) () async -> Void) { self.action = action }
}

/// A modifier, as interpreted by the host.
enum Modifier {
    case none
    case task(AnyID, TaskAction)
    case onAppear(() -> Void)
    case onDisappear(() -> Void)
    case onTap(() -> Void)
    case animation(Animation?, AnyID)
}

struct Modified<Content> {
    let content: Content
    let modifier: Modifier
}

extension Modified: View where Content: View {
    var body: Never { preconditionFailure("a primitive view has no body") }
}
