// The API that ImagePresentingSwiftUI and PhotoFeedViews need.
@_exported public import CoreGraphics
@_exported public import Foundation

@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

/// A view without a body. Not part of SwiftUI.
@MainActor
public protocol PrimitiveView: View {}

extension PrimitiveView {
    public typealias Body = Never
    public var body: Never { preconditionFailure("a primitive view has no body") }
}

extension Never: PrimitiveView {}

extension Optional: View, PrimitiveView where Wrapped: View {}

@resultBuilder
public struct ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        var views: [any View] = []
        repeat views.append(each content)
        return TupleView(views: views)
    }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> { _ConditionalContent(branch: ("first", first)) }

    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> { _ConditionalContent(branch: ("second", second)) }
}

/// The type of several views in a view builder.
nonisolated public struct TupleView<T>: PrimitiveView {
    let views: [any View]
}

// swift-format-ignore: NoLeadingUnderscores
/// The type of an `if` in a view builder.
nonisolated public struct _ConditionalContent<TrueContent: View, FalseContent: View>: PrimitiveView {
    let branch: (name: String, view: any View)
}

nonisolated public struct EmptyView: PrimitiveView, Sendable {
    public init() {}
}

public struct Image: PrimitiveView {
    public enum Orientation: UInt8, Sendable { case up }

    let name: String

    nonisolated public init(
        _ cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up, label: Text
    ) {
        self.init(cgImage, scale, label: " \"\(label.content)\"")
    }

    nonisolated public init(decorative cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up) {
        self.init(cgImage, scale, label: "")
    }

    nonisolated private init(_ cgImage: CGImage, _ scale: CGFloat, label: String) {
        name = "image \(cgImage.width)" + (scale == 1 ? "" : "@\(Int(scale))") + label
    }

    /// Without parameters here.
    nonisolated public func resizable() -> Image { self }

    /// A structure in SwiftUI.
    @available(watchOS, unavailable)
    public enum DynamicRange: Sendable { case standard, high }

    @available(watchOS, unavailable)
    nonisolated public func allowedDynamicRange(_ range: Image.DynamicRange?) -> Image { self }
}

public struct Text: PrimitiveView, Sendable {
    let content: String

    nonisolated public init(verbatim content: String) { self.content = content }

    /// Only the key here.
    nonisolated public init(_ key: LocalizedStringKey) { content = key }
}

/// A type of its own in SwiftUI, where texts, labels and buttons also take strings.
public typealias LocalizedStringKey = String

public struct Label: View {
    let title: Text

    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) { title = Text(titleKey) }
    public var body: some View { title }
}

nonisolated public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    public init() where Label == EmptyView, CurrentValueLabel == EmptyView {}
    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0)
    where Label == EmptyView, CurrentValueLabel == EmptyView {}

    @MainActor public var body: some View { Text(verbatim: "progress") }
}

public struct Color: PrimitiveView, Sendable {
    let name: String

    public static let gray = Color(name: "gray")
    public static let clear = Color(name: "")
}

public struct Rectangle: PrimitiveView {
    nonisolated public init() {}
}

nonisolated public struct Button<Label: View>: PrimitiveView {
    let action: @MainActor () -> Void
    let label: Label

    @preconcurrency
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }
}

extension Button where Label == Text {
    @preconcurrency
    nonisolated public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(titleKey) }
    }
}

public struct Animation: Equatable, Sendable {
    let description: String

    public static func easeInOut(duration: TimeInterval) -> Animation {
        Animation(description: "easeInOut \(duration)")
    }

    public func repeatForever(autoreverses: Bool = true) -> Animation {
        Animation(description: description + " forever")
    }
}

public struct AnyTransition {
    let insertion: String
    let removal: String

    public static var identity: AnyTransition { AnyTransition(insertion: "", removal: "") }
    public nonisolated(unsafe) static let opacity = AnyTransition(insertion: "opacity", removal: "opacity")

    public static func asymmetric(insertion: AnyTransition, removal: AnyTransition) -> AnyTransition {
        AnyTransition(insertion: insertion.insertion, removal: removal.removal)
    }

    public func animation(_ animation: Animation?) -> AnyTransition {
        let suffix = animation.map { " " + $0.description } ?? ""
        return AnyTransition(insertion: insertion + suffix, removal: removal + suffix)
    }
}
