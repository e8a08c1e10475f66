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
                observe(monitor) { level in gate.changeConditions { $0.pressure = level } }
            },
            applicationStateMonitor.map { monitor in
                observe(monitor) { application in
                    gate.changeConditions { conditions in
                        conditions.application = application
                        if application == .foreground { conditions.isTimeUp = false }
                    }
                }
            },
            connectivityMonitor.map { monitor in
                observe(monitor) { connectivity in
                    gate.changeConditions { $0.connectivity = connectivity }
                }
            },
        ].compactMap(\.self)
    }

    /// Observes a condition and applies its current value, until that is stable, so that no change is lost.
    private func observe<Condition>(
        _ monitor: some ConditionMonitor<Condition>, _ apply: @escaping @Sendable (Condition) -> Void
    ) -> MonitorObservation {
        let observation = monitor.observe(apply)
        var applied = monitor.condition
        apply(applied)
        while monitor.condition != applied {
            applied = monitor.condition
            apply(applied)
        }
        return observation
    }
}
