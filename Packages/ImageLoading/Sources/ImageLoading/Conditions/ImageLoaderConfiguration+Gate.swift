import ImageCore

extension ImageLoaderConfiguration {
    /// Nil without monitors: then all downloads run.
    func makeGate() -> DownloadGate? {
        guard memoryPressureMonitor != nil || applicationStateMonitor != nil || connectivityMonitor != nil else {
            return nil
        }
        return DownloadGate(
            maxForNetwork: maxWaitingForNetwork, observesApplication: applicationStateMonitor != nil,
            time: backgroundTime)
    }

    /// Passes the present conditions and all changes to the gate, while the observations exist.
    ///
    /// - Parameter networkReturned: Called when there is a network again, before downloads continue.
    func observeConditions(
        for gate: DownloadGate, networkReturned: @escaping @Sendable () -> Void
    ) -> [MonitorObservation] {
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
                    if connectivity == .online { networkReturned() }
                    gate.changeConditions { $0.connectivity = connectivity }
                }
            },
        ].compactMap(\.self)
    }

    /// Observes a condition and reads its present value, until both agree: no change is lost between the two.
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
