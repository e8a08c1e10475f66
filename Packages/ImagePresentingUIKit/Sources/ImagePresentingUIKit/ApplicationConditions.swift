#if canImport(UIKit)
    public import ImageCore
    public import ImagePresenting
    public import UIKit

    /// What UIKit tells of the application, for a loader's configuration. One for each application, kept as long as that runs.
    ///
    /// ```swift
    /// configuration.applicationStateMonitor = conditions.applicationState
    /// configuration.memoryPressureMonitor = conditions.memoryPressure
    /// ```
    @MainActor
    public final class ApplicationConditions {
        public let applicationState = SettableConditionMonitor(ApplicationState.foreground)
        public let memoryPressure = MemoryWarnings()

        public init(center: NotificationCenter = .default) {
            func on(_ name: Notification.Name, _ tell: @escaping @Sendable () -> Void) {
                _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in tell() }
            }
            on(UIApplication.didEnterBackgroundNotification) { [applicationState] in applicationState.set(.background) }
            on(UIApplication.willEnterForegroundNotification) { [applicationState] in applicationState.set(.foreground)
            }
            on(UIApplication.didReceiveMemoryWarningNotification) { [memoryPressure] in memoryPressure.tell() }
        }
    }
#endif
