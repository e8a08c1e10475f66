// What PhotoFeedApp needs to be type-checked. Nothing here shows windows.

@MainActor
@preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder var body: Body { get }

    init()
}

extension App {
    public static func main() {}
}

public enum ScenePhase: Sendable { case background, inactive, active }

/// Without a body here.
@MainActor
@preconcurrency
public protocol Scene {}

@resultBuilder
public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

nonisolated public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder makeContent: @escaping () -> Content) {}
}
