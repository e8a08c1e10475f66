// Stub declarations of the API that ImagePresentingSwiftUI and PhotoFeedViews need. Each has a link to its page in
// Apple's reference, or a note that it is not part of SwiftUI.
@_exported public import CoreGraphics
@_exported public import Foundation

/// https://developer.apple.com/documentation/swiftui/view
@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    /// https://developer.apple.com/documentation/swiftui/view/body-8kl5o
    @ViewBuilder var body: Body { get }
}

/// A view without a body. Not part of SwiftUI.
@MainActor
public protocol PrimitiveView: View {}

extension PrimitiveView {
    public typealias Body = Never

    public var body: Never { preconditionFailure("a primitive view has no body") }
}

extension Never: View {
    public var body: Never { preconditionFailure("a primitive view has no body") }
}

extension Optional: View, PrimitiveView where Wrapped: View {}

/// https://developer.apple.com/documentation/swiftui/viewbuilder
@resultBuilder
public struct ViewBuilder {
    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildblock()
    public static func buildBlock() -> EmptyView { EmptyView() }

    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildblock(_:)
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildblock(_:)
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> {
        var views: [any View] = []
        repeat views.append(each content)
        return TupleView(views: views)
    }

    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildif(_:)
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildeither(first:)
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> { _ConditionalContent(storage: .first(first)) }

    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildeither(second:)
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> { _ConditionalContent(storage: .second(second)) }
}

/// The type of several views in a view builder. https://developer.apple.com/documentation/swiftui/tupleview
nonisolated public struct TupleView<T>: PrimitiveView, SeveralViews {
    let views: [any View]
}

/// Views of any types. Not part of SwiftUI.
protocol SeveralViews {
    var views: [any View] { get }
}

// swift-format-ignore: NoLeadingUnderscores
/// The type of an `if` in a view builder. https://developer.apple.com/documentation/swiftui/viewbuilder
nonisolated public struct _ConditionalContent<TrueContent: View, FalseContent: View>: PrimitiveView {
    enum Storage {
        case first(TrueContent), second(FalseContent)
    }

    let storage: Storage
}

/// https://developer.apple.com/documentation/swiftui/emptyview
nonisolated public struct EmptyView: PrimitiveView, Sendable {
    public init() {}
}

/// https://developer.apple.com/documentation/swiftui/image
public struct Image: PrimitiveView {
    /// https://developer.apple.com/documentation/swiftui/image/orientation
    public enum Orientation: UInt8, Sendable {
        case up
    }

    let name: String

    /// https://developer.apple.com/documentation/swiftui/image/init(_:scale:orientation:label:)
    nonisolated public init(
        _ cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up, label: Text
    ) {
        self.init(cgImage, scale, label: " \"\(label.content)\"")
    }

    /// https://developer.apple.com/documentation/swiftui/image/init(decorative:scale:orientation:)
    nonisolated public init(decorative cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up) {
        self.init(cgImage, scale, label: "")
    }

    /// https://developer.apple.com/documentation/swiftui/image/init(systemname:)
    nonisolated public init(systemName: String) { name = systemName }

    nonisolated private init(_ cgImage: CGImage, _ scale: CGFloat, label: String) {
        name = "image \(cgImage.width)" + (scale == 1 ? "" : "@\(Int(scale))") + label
    }

    /// https://developer.apple.com/documentation/swiftui/image/resizable(capinsets:resizingmode:). Without parameters here.
    nonisolated public func resizable() -> Image { self }
}

/// https://developer.apple.com/documentation/swiftui/text
public struct Text: PrimitiveView, Sendable {
    let content: String

    /// https://developer.apple.com/documentation/swiftui/text/init(verbatim:)
    nonisolated public init(verbatim content: String) { self.content = content }

    /// https://developer.apple.com/documentation/swiftui/text/init(_:tablename:bundle:comment:). Only the key here.
    nonisolated public init(_ key: LocalizedStringKey) { content = key.key }
}

/// https://developer.apple.com/documentation/swiftui/localizedstringkey
public struct LocalizedStringKey: ExpressibleByStringLiteral {
    let key: String

    public init(stringLiteral value: String) { key = value }
}

/// https://developer.apple.com/documentation/swiftui/label
public struct Label: View {
    let title: Text

    /// https://developer.apple.com/documentation/swiftui/label/init(_:systemimage:)-n5zq
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) { title = Text(titleKey) }

    public var body: some View { title }
}

/// https://developer.apple.com/documentation/swiftui/progressview
nonisolated public struct ProgressView<Label: View, CurrentValueLabel: View>: View {
    /// https://developer.apple.com/documentation/swiftui/progressview/init()
    public init() where Label == EmptyView, CurrentValueLabel == EmptyView {}

    /// https://developer.apple.com/documentation/swiftui/progressview/init(value:total:)
    public init<V: BinaryFloatingPoint>(value: V?, total: V = 1.0)
    where Label == EmptyView, CurrentValueLabel == EmptyView {}

    @MainActor public var body: some View { Text(verbatim: "progress") }
}

/// https://developer.apple.com/documentation/swiftui/color
public struct Color: PrimitiveView, Sendable {
    let name: String

    /// https://developer.apple.com/documentation/swiftui/color/gray
    public static let gray = Color(name: "gray")
    /// https://developer.apple.com/documentation/swiftui/color/clear
    public static let clear = Color(name: "")
}

/// https://developer.apple.com/documentation/swiftui/rectangle
public struct Rectangle: PrimitiveView {
    nonisolated public init() {}
}

/// https://developer.apple.com/documentation/swiftui/button
nonisolated public struct Button<Label: View>: PrimitiveView {
    let action: @MainActor () -> Void
    let label: Label

    /// https://developer.apple.com/documentation/swiftui/button/init(action:label:)
    @preconcurrency
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        self.action = action
        self.label = label()
    }
}

extension Button where Label == Text {
    /// https://developer.apple.com/documentation/swiftui/button/init(_:action:)-1asy
    @preconcurrency
    nonisolated public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { Text(titleKey) }
    }
}

/// https://developer.apple.com/documentation/swiftui/animation
public struct Animation: Equatable, Sendable {
    let description: String

    /// https://developer.apple.com/documentation/swiftui/animation/easeinout(duration:)
    public static func easeInOut(duration: TimeInterval) -> Animation {
        Animation(description: "easeInOut \(duration)")
    }

    /// https://developer.apple.com/documentation/swiftui/animation/repeatforever(autoreverses:)
    public func repeatForever(autoreverses: Bool = true) -> Animation {
        Animation(description: description + " forever")
    }
}

/// https://developer.apple.com/documentation/swiftui/anytransition
public struct AnyTransition {
    let insertion: String
    let removal: String

    /// https://developer.apple.com/documentation/swiftui/anytransition/identity
    public static var identity: AnyTransition { AnyTransition(insertion: "", removal: "") }
    /// https://developer.apple.com/documentation/swiftui/anytransition/opacity
    public nonisolated(unsafe) static let opacity = AnyTransition(insertion: "opacity", removal: "opacity")

    /// https://developer.apple.com/documentation/swiftui/anytransition/asymmetric(insertion:removal:)
    public static func asymmetric(insertion: AnyTransition, removal: AnyTransition) -> AnyTransition {
        AnyTransition(insertion: insertion.insertion, removal: removal.removal)
    }

    /// https://developer.apple.com/documentation/swiftui/anytransition/animation(_:)
    public func animation(_ animation: Animation?) -> AnyTransition {
        let suffix = animation.map { " " + $0.description } ?? ""
        return AnyTransition(insertion: insertion + suffix, removal: removal + suffix)
    }
}
