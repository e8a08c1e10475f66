// Stub declarations of the API that ImagePresentingSwiftUI needs. Each has a link to its page in Apple's reference, or
// a note that it is not part of SwiftUI.
@_exported public import CoreGraphics
@_exported public import Foundation

/// https://developer.apple.com/documentation/swiftui/view
@MainActor
public protocol View {
    associatedtype Body: View
    /// https://developer.apple.com/documentation/swiftui/view/body-8kl5o
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { preconditionFailure("a primitive view has no body") }
}

/// https://developer.apple.com/documentation/swiftui/viewbuilder
@resultBuilder
public enum ViewBuilder {
    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildblock(_:)
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildeither(first:)
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> ConditionalContent<First, Second> { .first(first) }

    /// https://developer.apple.com/documentation/swiftui/viewbuilder/buildeither(second:)
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> ConditionalContent<First, Second> { .second(second) }
}

/// The type of an `if` in a view builder. SwiftUI uses a different name.
/// https://developer.apple.com/documentation/swiftui/viewbuilder
public enum ConditionalContent<First: View, Second: View>: View {
    case first(First), second(Second)

    public var body: Never { preconditionFailure("a primitive view has no body") }
}

/// https://developer.apple.com/documentation/swiftui/image
public struct Image: View {
    /// https://developer.apple.com/documentation/swiftui/image/orientation
    public enum Orientation: UInt8, Sendable {
        case up
    }

    let cgImage: CGImage

    /// https://developer.apple.com/documentation/swiftui/image/init(decorative:scale:orientation:)
    public init(decorative cgImage: CGImage, scale: CGFloat, orientation: Image.Orientation = .up) {
        self.cgImage = cgImage
    }

    /// https://developer.apple.com/documentation/swiftui/image/resizable(capinsets:resizingmode:). Without parameters here.
    public func resizable() -> Image { self }

    public var body: Never { preconditionFailure("a primitive view has no body") }
}

/// https://developer.apple.com/documentation/swiftui/text
public struct Text: View {
    let content: String

    /// https://developer.apple.com/documentation/swiftui/text/init(verbatim:)
    public init(verbatim content: String) { self.content = content }

    public var body: Never { preconditionFailure("a primitive view has no body") }
}

/// https://developer.apple.com/documentation/swiftui/color
public struct Color: View {
    /// https://developer.apple.com/documentation/swiftui/color/gray
    public static let gray = Color()

    public var body: Never { preconditionFailure("a primitive view has no body") }
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
