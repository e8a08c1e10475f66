#if canImport(SwiftUI)
    import ImageCodecImageIO
    import ImageCore
    import ImagePresenting
    import SwiftUI

    /// A view with a loader, whose animated images play by one clock. It also plays those of sheets and covers, which have
    /// its environment.
    struct PlayingView<Content: View>: View {
        let loader: any ImageLoaderProtocol
        let content: Content
        @State var clock: AnimationClock
        @Environment(\.accessibilityReduceMotion) private var reducesMotion
        @Environment(\.accessibilityPlayAnimatedImages) private var playsAnimatedImages
        @Environment(\.scenePhase) private var scenePhase

        init(loader: any ImageLoaderProtocol, content: Content, timer: any Clock<Duration> = ContinuousClock()) {
            self.loader = loader
            self.content = content
            _clock = State(wrappedValue: AnimationClock(prepareFrame: { _ = $0.cgImage }, timer: timer))
        }

        var body: some View {
            let conditions = Conditions(
                reducesMotion: reducesMotion || !playsAnimatedImages, isActive: scenePhase != .background)
            content
                .environment(\.imageLoader, loader)
                .environment(\.animationClock, clock)
                .task(id: conditions) { @MainActor [clock] in
                    clock.reducesMotion = conditions.reducesMotion
                    clock.isActive = conditions.isActive
                }
        }
    }

    /// When animations play.
    private struct Conditions: Equatable {
        let reducesMotion: Bool
        let isActive: Bool
    }

    extension EnvironmentValues {
        /// The clock of animated images; nil if they rest.
        var animationClock: AnimationClock? {
            get { self[AnimationClockKey.self] }
            set { self[AnimationClockKey.self] = newValue }
        }
    }

    private enum AnimationClockKey: EnvironmentKey {
        static let defaultValue: AnimationClock? = nil
    }
#endif
