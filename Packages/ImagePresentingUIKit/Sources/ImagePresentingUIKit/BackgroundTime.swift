#if canImport(UIKit) && !os(watchOS)
    import ImageCore
    import Synchronization
    import UIKit

    /// Asks UIKit for time while downloads that have started go on in the background, and gives it back when they end.
    final class BackgroundTime: ImageLoaderObserver {
        private struct State: Sendable {
            var isInBackground = false
            /// The requests whose downloads are in progress.
            var downloads: Set<UInt64?> = []
            var granted: UIBackgroundTaskIdentifier?
            /// Whether UIKit is being asked.
            var isAsking = false
            /// Whether UIKit gives no more time until the app was in the foreground.
            var isRefused = false

            var needsTime: Bool { isInBackground && !isRefused && !downloads.isEmpty }
        }

        private let application: UIApplication?
        private let next: (any ImageLoaderObserver)?
        private let state = Mutex(State())

        init(application: UIApplication?, next: (any ImageLoaderObserver)?) {
            self.application = application
            self.next = next
        }

        /// Counts the downloads in progress.
        func handle(_ event: ImageLoadEvent) {
            switch event.kind {
            case .downloadStarted, .received: change { $0.downloads.insert(event.requestID) }
            case .downloadFinished, .deferred, .waitingForNetwork, .succeeded, .failed, .cancelled:
                change { $0.downloads.remove(event.requestID) }
            default: break
            }
            next?.handle(event)
        }

        func setInBackground(_ isInBackground: Bool) {
            change { state in
                state.isInBackground = isInBackground
                state.isRefused = false
            }
        }

        /// Changes the state, then asks UIKit for time, or gives it back.
        private func change(_ body: (inout State) -> Void) {
            let (asks, returned) = state.withLock { state -> (Bool, UIBackgroundTaskIdentifier?) in
                body(&state)
                guard state.needsTime else {
                    defer { state.granted = nil }
                    return (false, state.granted)
                }
                guard state.granted == nil, !state.isAsking else { return (false, nil) }
                state.isAsking = true
                return (true, nil)
            }
            if let returned { application?.endBackgroundTask(returned) }
            if asks { ask() }
        }

        private func ask() {
            let granted = application?.beginBackgroundTask(withName: "image downloads") { [weak self] in
                // The system ends an app that keeps the time for longer.
                self?.change { $0.isRefused = true }
            }
            change { state in
                state.isAsking = false
                state.granted = granted == .invalid ? nil : granted
                if state.granted == nil { state.isRefused = true }
            }
        }
    }
#endif
