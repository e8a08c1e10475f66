#if canImport(UIKit) && !os(watchOS)
    public import ImageCore
    public import UIKit

    /// Monitors the application state and memory warnings of UIKit, and keeps the app running while a download that has
    /// started goes on in the background. Create one instance, and keep it as long as the app runs.
    ///
    /// ```swift
    /// options.applicationStateMonitor = conditions.applicationState
    /// options.memoryPressureMonitor = conditions.memoryPressure
    /// options.observer = conditions.backgroundTime
    /// ```
    @MainActor
    public final class ApplicationConditions {
        /// Whether the app is in the foreground or in the background.
        public let applicationState = SettableConditionMonitor(ApplicationState.foreground)
        /// The memory warnings of UIKit. Each is followed by `.normal`, because UIKit doesn't say when it is over.
        public let memoryPressure = SettableConditionMonitor(MemoryPressureLevel.normal)
        /// Asks UIKit for time while downloads go on in the background. Observes the loader, which with `applicationState`
        /// interrupts downloads below `.normal` priority then, so that only urgent ones use the time.
        public let backgroundTime: any ImageLoaderObserver
        private let tokens: ObserverTokens

        /// Starts to observe the app.
        ///
        /// - Parameters:
        ///   - application: `UIApplication.shared`. With nil, as in an app extension, there is no time in the background.
        ///   - center: Posts UIKit's notifications.
        ///   - observer: Receives the events of the loader after `backgroundTime`.
        public init(
            application: UIApplication?, center: NotificationCenter = .default,
            observer: (any ImageLoaderObserver)? = nil
        ) {
            let backgroundTime = BackgroundTime(application: application, next: observer)
            self.backgroundTime = backgroundTime
            // The system can launch an app in the background.
            if application?.applicationState == .background {
                backgroundTime.setInBackground(true)
                applicationState.condition = .background
            }
            let tokens = ObserverTokens(center: center)
            tokens.on(UIApplication.didEnterBackgroundNotification) { [applicationState] in
                backgroundTime.setInBackground(true)
                applicationState.condition = .background
            }
            tokens.on(UIApplication.willEnterForegroundNotification) { [applicationState] in
                backgroundTime.setInBackground(false)
                applicationState.condition = .foreground
            }
            tokens.on(UIApplication.didReceiveMemoryWarningNotification) { [memoryPressure] in
                memoryPressure.condition = .warning
                memoryPressure.condition = .normal
            }
            self.tokens = tokens
        }
    }

    /// The observers in a notification center, which are removed with this object.
    final class ObserverTokens {
        private let center: NotificationCenter
        private var tokens: [any NSObjectProtocol] = []

        init(center: NotificationCenter) { self.center = center }

        deinit { for token in tokens { center.removeObserver(token) } }

        func on(_ name: Notification.Name, _ handler: @escaping @Sendable () -> Void) {
            tokens.append(center.addObserver(forName: name, object: nil, queue: nil) { _ in handler() })
        }
    }
#endif
