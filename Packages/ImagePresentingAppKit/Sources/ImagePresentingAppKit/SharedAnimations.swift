#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    import Accessibility
    import AppKit
    import Foundation
    import ImageCodecImageIO
    import ImageCore
    import ImagePresenting

    /// The clock of all animated views of the app, so that they show the same animation in step.
    @MainActor
    final class SharedAnimations {
        static let ofApp = SharedAnimations(
            timer: ContinuousClock(), center: .default, workspaceCenter: NSWorkspace.shared.notificationCenter)

        let clock: AnimationClock

        init(timer: any Clock<Duration>, center: NotificationCenter, workspaceCenter: NotificationCenter) {
            clock = AnimationClock(reducesMotion: Self.reducesMotion, prepareFrame: { _ = $0.cgImage }, timer: timer)
            observe(NSWorkspace.accessibilityDisplayOptionsDidChangeNotification, in: workspaceCenter) { clock in
                clock.reducesMotion = Self.reducesMotion
            }
            observe(AccessibilitySettings.animatedImagesEnabledDidChangeNotification, in: center) { clock in
                clock.reducesMotion = Self.reducesMotion
            }
            observe(NSApplication.didChangeOcclusionStateNotification, in: center) { clock in
                clock.isActive = NSApplication.shared.occlusionState.contains(.visible)
            }
        }

        /// Whether the user wants animated images to rest.
        private static var reducesMotion: Bool {
            NSWorkspace.shared.accessibilityDisplayShouldReduceMotion || !AccessibilitySettings.animatedImagesEnabled
        }

        /// Observes for as long as the center exists.
        private func observe(
            _ name: Notification.Name, in center: NotificationCenter,
            _ change: @escaping @MainActor (AnimationClock) -> Void
        ) {
            _ = center.addObserver(forName: name, object: nil, queue: nil) { [weak clock] _ in
                Task { @MainActor in if let clock { change(clock) } }
            }
        }
    }
#endif
