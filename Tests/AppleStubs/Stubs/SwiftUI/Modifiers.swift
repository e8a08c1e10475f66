public enum ContentMode: Hashable, Sendable, CaseIterable { case fit, fill }

/// Without requirements here.
public protocol PrimitiveButtonStyle {}

@available(iOS 13, macOS 10.15, tvOS 17, watchOS 8, visionOS 1, *)
nonisolated public struct BorderlessButtonStyle: PrimitiveButtonStyle, CustomStringConvertible {
    public init() {}

    /// Not part of SwiftUI.
    public var description: String { "borderless" }
}

@available(iOS 13, macOS 10.15, tvOS 17, watchOS 8, visionOS 1, *)
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    nonisolated public static var borderless: BorderlessButtonStyle { BorderlessButtonStyle() }
}

/// Without requirements here.
@MainActor
@preconcurrency
public protocol LabelStyle {}

nonisolated public struct IconOnlyLabelStyle: LabelStyle {}

extension LabelStyle where Self == IconOnlyLabelStyle {
    nonisolated public static var iconOnly: IconOnlyLabelStyle { IconOnlyLabelStyle() }
}

extension View {
    nonisolated public func task<T: Equatable>(
        id: T, name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID, line: Int = #line,
        _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View {
        modified(.task(AnyID(id), TaskAction(action)))
    }

    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        modified(.onAppear(action ?? {}))
    }

    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        modified(.onDisappear(action ?? {}))
    }

    @available(iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1, *)
    @preconcurrency
    nonisolated public func onGeometryChange<T: Equatable & Sendable>(
        for type: T.Type, of transform: @escaping @Sendable (GeometryProxy) -> T, action: @escaping (T) -> Void
    ) -> some View {
        modified(.geometry { action(transform(GeometryProxy(size: $0))) })
    }

    nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View {
        modified(.refresh(action))
    }

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1, *)
    nonisolated public func animation<V: View>(
        _ animation: Animation?, @ViewBuilder body: (PlaceholderContentView<Self>) -> V
    ) -> some View {
        let content = body(PlaceholderContentView(body: self))
        return Modified(content: content, modifier: .animation(animation, AnyID("\(content)")))
    }

    nonisolated public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View {
        modified(.animation(animation, AnyID(value)))
    }

    nonisolated public func transition(_ t: AnyTransition) -> some View { modified(.transition(t)) }
    nonisolated public func id<ID: Hashable>(_ id: ID) -> some View { modified(.id("\(id)")) }

    nonisolated public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        modified(.environment { $0[keyPath: keyPath] = value })
    }

    /// Without alignment here.
    nonisolated public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View {
        modified(.frame(ProposedViewSize(width: width, height: height)))
    }

    /// Only the least size here, which the host lists as an attribute.
    nonisolated public func frame(minWidth: CGFloat, minHeight: CGFloat) -> some View {
        modified(.attribute("at least \(Int(minWidth))x\(Int(minHeight))"))
    }

    nonisolated public func aspectRatio(_ aspectRatio: CGFloat? = nil, contentMode: ContentMode) -> some View {
        modified(.attribute("\(contentMode)"))
    }

    nonisolated public func clipped(antialiased: Bool = false) -> some View { modified(.none) }
    nonisolated public func opacity(_ opacity: Double) -> some View { modified(.opacity(opacity)) }

    /// For rectangles here.
    nonisolated public func contentShape(_ shape: Rectangle) -> some View { modified(.none) }
    nonisolated public func labelStyle(_ style: some LabelStyle) -> some View { modified(.none) }

    nonisolated public func buttonStyle(_ style: some PrimitiveButtonStyle) -> some View {
        modified(.attribute("\(style)"))
    }

    nonisolated public func accessibilityIgnoresInvertColors(_ active: Bool = true) -> some View { modified(.none) }
    nonisolated public func allowsHitTesting(_ enabled: Bool) -> some View { modified(.none) }
    nonisolated public func accessibilityHidden(_ hidden: Bool) -> some View { modified(.none) }

    /// Without alignment here.
    nonisolated public func overlay<V: View>(@ViewBuilder content: () -> V) -> some View {
        TupleView<(Self, V)>(views: [self, content()])
    }
}

nonisolated public struct PlaceholderContentView<Content: View>: View {
    public let body: Content
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
    case opacity(Double)
    case attribute(String)
    case task(AnyID, TaskAction)
    case onAppear(() -> Void)
    case onDisappear(() -> Void)
    case geometry((CGSize) -> Void)
    case refresh(@Sendable () async -> Void)
    case animation(Animation?, AnyID)
    case transition(AnyTransition)
    case id(String)
    case environment((inout EnvironmentValues) -> Void)
    case frame(ProposedViewSize)
}

extension View {
    nonisolated func modified(_ modifier: Modifier) -> Modified<Self> { Modified(content: self, modifier: modifier) }
}

struct Modified<Content> {
    let content: Content
    let modifier: Modifier
}

extension Modified: View, PrimitiveView where Content: View {}
