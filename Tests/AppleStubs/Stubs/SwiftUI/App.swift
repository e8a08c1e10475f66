// What PhotoFeedApp needs to be type-checked. Nothing here shows windows.

/// https://developer.apple.com/documentation/swiftui/app
@MainActor
@preconcurrency
public protocol App {
    associatedtype Body: Scene
    /// https://developer.apple.com/documentation/swiftui/app/body-swift.property
    @SceneBuilder var body: Body { get }

    init()
}

extension App {
    /// https://developer.apple.com/documentation/swiftui/app/main()
    public static func main() {}
}

/// https://developer.apple.com/documentation/swiftui/scenephase
public enum ScenePhase: Sendable {
    case background, inactive, active
}

/// https://developer.apple.com/documentation/swiftui/scene. Without a body here.
@MainActor
@preconcurrency
public protocol Scene {}

/// https://developer.apple.com/documentation/swiftui/scenebuilder
@resultBuilder
public struct SceneBuilder {
    /// https://developer.apple.com/documentation/swiftui/scenebuilder/buildblock(_:)
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

/// https://developer.apple.com/documentation/swiftui/windowgroup
nonisolated public struct WindowGroup<Content: View>: Scene {
    /// https://developer.apple.com/documentation/swiftui/windowgroup/init(makecontent:)
    public init(@ViewBuilder makeContent: @escaping () -> Content) {}
}
