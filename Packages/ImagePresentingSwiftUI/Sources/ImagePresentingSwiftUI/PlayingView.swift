#if canImport(SwiftUI)
    import Foundation
    import ImageCodecImageIO
    import ImageCore
    import ImagePresenting
    import Observation
    import SwiftUI

    /// A view with a loader, whose animated images play by one timeline.
    struct PlayingView<Content: View>: View {
        let loader: any ImageLoaderProtocol
        let content: Content
        @State private var timeline = PlayingTimeline()
        @Environment(\.accessibilityReduceMotion) private var reducesMotion

        var body: some View {
            content
                .environment(\.imageLoader, loader)
                .environment(\.animationClock, timeline.clock)
                .overlay {
                    TimelineView(.animation(minimumInterval: nil, paused: !timeline.isRunning)) { context in
                        Color.clear.task(id: context.date) { @MainActor [timeline, date = context.date] in
                            timeline.clock.tick(at: .seconds(date.timeIntervalSinceReferenceDate))
                        }
                    }
                    .allowsHitTesting(false)
                    .accessibilityHidden(true)
                }
                .task(id: reducesMotion) { @MainActor [timeline, reducesMotion] in
                    timeline.clock.reducesMotion = reducesMotion
                }
        }
    }

    /// The clock of a view's animations, and whether it needs ticks.
    @MainActor
    @Observable
    private final class PlayingTimeline {
        private(set) var isRunning = false
        @ObservationIgnored private(set) lazy var clock: AnimationClock = AnimationClock(
            prepareFrame: { _ = $0.cgImage }
        ) {
            [weak self] isRunning in self?.isRunning = isRunning
        }

        nonisolated init() {}
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
