#if canImport(UIKit)
    public import ImageCore
    public import UIKit

    /// Monitors the application state and memory warnings of UIKit. Create one instance, and keep it as long as the app
    /// runs.
    ///
    /// ```swift
    /// configuration.applicationStateMonitor = conditions.applicationState
    /// configuration.memoryPressureMonitor = conditions.memoryPressure
    /// ```
    @MainActor
    public final class ApplicationConditions {
        /// Whether the app is in the foreground or in the background.
        public let applicationState = SettableConditionMonitor(ApplicationState.foreground)
        /// The memory warnings of UIKit. Each is followed by `.normal`, because UIKit doesn't say when it is over.
        public let memoryPressure = SettableConditionMonitor(MemoryPressureLevel.normal)

        /// Starts to observe the app.
        public init(center: NotificationCenter = .default) {
            func on(_ name: Notification.Name, _ handler: @escaping @Sendable () -> Void) {
                _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in handler() }
            }
            on(UIApplication.didEnterBackgroundNotification) { [applicationState] in applicationState.set(.background) }
            on(UIApplication.willEnterForegroundNotification) { [applicationState] in applicationState.set(.foreground)
            }
            on(UIApplication.didReceiveMemoryWarningNotification) { [memoryPressure] in
                memoryPressure.set(.warning)
                memoryPressure.set(.normal)
            }
        }
    }
#endif
