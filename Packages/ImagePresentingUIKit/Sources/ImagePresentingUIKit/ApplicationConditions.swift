#if canImport(UIKit)
    public import ImageCore
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
        public let memoryPressure: any MemoryPressureMonitor

        public init(center: NotificationCenter = .default) {
            let (state, warnings) = (applicationState, MemoryWarnings())
            memoryPressure = warnings
            let tellings: [(Notification.Name, @Sendable () -> Void)] = [
                (UIApplication.didEnterBackgroundNotification, { state.set(.background) }),
                (UIApplication.willEnterForegroundNotification, { state.set(.foreground) }),
                (UIApplication.didReceiveMemoryWarningNotification, { warnings.tell() }),
            ]
            for (name, tell) in tellings {
                _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in tell() }
            }
        }
    }

    /// UIKit warns, and never says that memory suffices again: a warning is over when everyone has been told.
    private struct MemoryWarnings: MemoryPressureMonitor {
        private let latest = SettableConditionMonitor(MemoryPressureLevel.normal)

        var level: MemoryPressureLevel { latest.condition }

        func observe(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) -> MemoryPressureObservation {
            latest.observe(handler)
        }

        func tell() {
            latest.set(.warning)
            latest.set(.normal)
        }
    }
#endif
