import ImageCore

extension ImageLoaderConfiguration {
    /// Returns nil if there are no monitors, so that all downloads are allowed.
    func makeGate() -> DownloadGate? {
        guard memoryPressureMonitor != nil || applicationStateMonitor != nil || connectivityMonitor != nil else {
            return nil
        }
        return DownloadGate(
            maxForNetwork: maxWaitingForNetwork, observesApplication: applicationStateMonitor != nil,
            time: backgroundTime)
    }

    /// Sends the current conditions and all changes to the gate while the observations exist.
    func observeConditions(for gate: DownloadGate) -> [MonitorObservation] {
        [
            memoryPressureMonitor.map { monitor in
                observe({ monitor.level }, monitor.observe) { level in gate.changeConditions { $0.pressure = level } }
            },
            applicationStateMonitor.map { monitor in
                observe({ monitor.condition }, monitor.observe) { application in
                    gate.changeConditions { conditions in
                        conditions.application = application
                        if application == .foreground { conditions.isTimeUp = false }
                    }
                }
            },
            connectivityMonitor.map { monitor in
                observe({ monitor.condition }, monitor.observe) { connectivity in
                    gate.changeConditions { $0.connectivity = connectivity }
                }
            },
        ].compactMap(\.self)
    }

    /// Observes a condition and applies its current value, until that is stable, so that no change is lost.
    private func observe<Value: Equatable>(
        _ now: () -> Value, _ start: (@escaping @Sendable (Value) -> Void) -> MonitorObservation,
        _ apply: @escaping @Sendable (Value) -> Void
    ) -> MonitorObservation {
        let observation = start(apply)
        var applied = now()
        apply(applied)
        while now() != applied {
            applied = now()
            apply(applied)
        }
        return observation
    }
}
