#if canImport(UIKit) && !os(watchOS)
    import Accessibility
    import ImageCodecImageIO
    import ImageCore
    import ImagePresenting
    import UIKit

    /// The clock of all animated views of the app, so that they show the same animation in step. It wakes when a frame is
    /// due, because a display link would update the screen 60 times a second for ten frames.
    @MainActor
    final class SharedAnimations {
        static let ofApp = SharedAnimations(timer: ContinuousClock(), center: .default)

        let clock: AnimationClock
        private let observers: ObserverTokens

        init(timer: any Clock<Duration>, center: NotificationCenter) {
            clock = AnimationClock(
                reducesMotion: Self.reducesMotion, prepareFrame: { _ = $0.cgImage }, timer: timer)
            observers = ObserverTokens(center: center)
            for name in [
                UIAccessibility.reduceMotionStatusDidChangeNotification,
                AccessibilitySettings.animatedImagesEnabledDidChangeNotification,
            ] {
                observe(name) { $0.reducesMotion = Self.reducesMotion }
            }
            observe(UIApplication.didEnterBackgroundNotification) { $0.isActive = false }
            observe(UIApplication.willEnterForegroundNotification) { $0.isActive = true }
        }

        /// Whether the user wants animated images to rest.
        private static var reducesMotion: Bool {
            UIAccessibility.isReduceMotionEnabled || !AccessibilitySettings.animatedImagesEnabled
        }

        private func observe(_ name: Notification.Name, _ change: @escaping @MainActor (AnimationClock) -> Void) {
            observers.on(name) { [clock] in Task { @MainActor in change(clock) } }
        }
    }
#endif
