public enum ContentMode: Hashable, Sendable, CaseIterable { case fit, fill }

/// A protocol in SwiftUI, with a type for each style.
public enum PrimitiveButtonStyle: Sendable { case borderless }

/// A protocol in SwiftUI, with a type for each style.
public enum LabelStyle: Sendable { case iconOnly }

extension View {
    nonisolated public func task<T: Equatable>(
        id: T, name: String? = nil, priority: TaskPriority = .userInitiated, file: String = #fileID, line: Int = #line,
        _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View {
        modified(.task(id, TaskAction(action)))
    }

    nonisolated public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        modified(.onAppear(action ?? {}))
    }

    nonisolated public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        modified(.onDisappear(action ?? {}))
    }

    @preconcurrency
    nonisolated public func onGeometryChange<T: Equatable & Sendable>(
        for type: T.Type, of transform: @escaping @Sendable (GeometryProxy) -> T, action: @escaping (T) -> Void
    ) -> some View {
        modified(.geometry { action(transform(GeometryProxy(size: $0))) })
    }

    nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View {
        modified(.refresh(action))
    }

    nonisolated public func animation<V: View>(
        _ animation: Animation?, @ViewBuilder body: (PlaceholderContentView<Self>) -> V
    ) -> some View {
        let content = body(PlaceholderContentView(body: self))
        return Modified(content: content, modifier: .animation(animation, "\(content)"))
    }

    nonisolated public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View {
        modified(.animation(animation, value))
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
    nonisolated public func labelStyle(_ style: LabelStyle) -> some View { modified(.none) }

    nonisolated public func buttonStyle(_ style: PrimitiveButtonStyle) -> some View {
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

extension Equatable {
    func equals(_ other: any Equatable) -> Bool { other as? Self == self }
}

/// The action of a view's task. It is unchecked because the action was transferred by `sending`, so nothing else has access to it.
struct TaskAction: @unchecked Sendable {
    let run: @isolated(any) () async -> Void

    init(_ action: sending @escaping @isolated(any) () async -> Void) { run = action }
}

/// A modifier, as interpreted by the host.
enum Modifier {
    case none
    case opacity(Double)
    case attribute(String)
    case task(any Equatable, TaskAction)
    case onAppear(() -> Void)
    case onDisappear(() -> Void)
    case geometry((CGSize) -> Void)
    case refresh(@Sendable () async -> Void)
    case animation(Animation?, any Equatable)
    case transition(AnyTransition)
    case id(String)
    case environment((inout EnvironmentValues) -> Void)
    case frame(ProposedViewSize)
}

extension View {
    nonisolated func modified(_ modifier: Modifier) -> Modified<Self> { Modified(content: self, modifier: modifier) }
}

nonisolated struct Modified<Content: View>: PrimitiveView {
    let content: Content
    let modifier: Modifier
}
