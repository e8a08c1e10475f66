#if canImport(UIKit) && !os(watchOS)
    import ImageCodecImageIO
    import ImageCore
    import ImagePresenting
    import UIKit

    /// Plays the animations of a window by its updates. The views of a window share it, so that they show the same
    /// animation in step.
    @MainActor
    final class WindowClock {
        private struct Entry {
            weak var clock: WindowClock?
        }

        private static var entries: [ObjectIdentifier: Entry] = [:]

        private(set) lazy var clock: AnimationClock = AnimationClock(
            reducesMotion: UIAccessibility.isReduceMotionEnabled, prepareFrame: { _ = $0.cgImage }
        ) {
            [weak self] isRunning in self?.link?.isEnabled = isRunning
        }
        private var link: UIUpdateLink?
        private let observers = ObserverTokens(center: .default)

        /// Returns the clock of a window. Retain it while the window has animations.
        static func of(_ window: UIWindow) -> WindowClock {
            let id = ObjectIdentifier(window)
            if let clock = entries[id]?.clock { return clock }
            let clock = WindowClock(window)
            entries = entries.filter { $0.value.clock != nil }
            entries[id] = Entry(clock: clock)
            return clock
        }

        private init(_ window: UIWindow) {
            let name = UIAccessibility.reduceMotionStatusDidChangeNotification
            observers.on(name) { [weak self] in
                Task { @MainActor in self?.clock.reducesMotion = UIAccessibility.isReduceMotionEnabled }
            }
            let link = UIUpdateLink(view: window) { [weak self] _, info in
                self?.clock.tick(at: .seconds(info.modelTime))
            }
            link.requiresContinuousUpdates = true
            link.isEnabled = false
            self.link = link
        }

        // An isolated one would need iOS 18.4.
        deinit {
            if let link { Task { @MainActor in link.isEnabled = false } }
        }
    }
#endif
