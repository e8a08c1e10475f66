import ImageCore

extension ImageLoaderConfiguration {
    /// Returns nil if there are no monitors, so that all downloads are allowed.
    func makeGate() -> DownloadGate? {
        guard memoryPressureMonitor != nil || applicationStateMonitor != nil || connectivityMonitor != nil else {
            return nil
        }
        return DownloadGate()
    }

    /// Sends the current conditions and all changes to the gate while the observations exist.
    func observeConditions(for gate: DownloadGate) -> [MonitorObservation] {
        [
            memoryPressureMonitor.map { observe($0) { level in gate.changeConditions { $0.pressure = level } } },
            applicationStateMonitor.map { observe($0) { state in gate.changeConditions { $0.application = state } } },
            connectivityMonitor.map { observe($0) { network in gate.changeConditions { $0.connectivity = network } } },
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
