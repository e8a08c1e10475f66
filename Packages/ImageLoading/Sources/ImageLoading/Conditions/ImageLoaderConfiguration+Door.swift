import ImageCore

extension ImageLoaderConfiguration {
    /// Nil when nobody tells of any condition: then downloads run as they come, at no cost.
    func makeDoor() -> DownloadDoor? {
        guard memoryPressureMonitor != nil || applicationStateMonitor != nil || connectivityMonitor != nil else {
            return nil
        }
        return DownloadDoor(
            maxForNetwork: maxWaitingForNetwork, seesApplication: applicationStateMonitor != nil, time: backgroundTime,
            executor: taskExecutor)
    }

    /// Tells the door what stands around it, now and from now on, while the observations live.
    ///
    /// - Parameter networkReturned: called when there is a network again, before anything goes on.
    func observeConditions(
        for door: DownloadDoor, networkReturned: @escaping @Sendable () -> Void
    ) -> [MonitorObservation] {
        [
            memoryPressureMonitor.map { monitor in
                settled({ monitor.level }, monitor.observe) { level in door.change { $0.pressure = level } }
            },
            applicationStateMonitor.map { monitor in
                settled({ monitor.condition }, monitor.observe) { application in
                    door.change { conditions in
                        conditions.application = application
                        if application == .foreground { conditions.isTimeUp = false }
                    }
                }
            },
            connectivityMonitor.map { monitor in
                settled({ monitor.condition }, monitor.observe) { connectivity in
                    if connectivity == .online { networkReturned() }
                    door.change { $0.connectivity = connectivity }
                }
            },
        ].compactMap(\.self)
    }

    /// Observes, and then notes what holds now, again while it changes under our hands: no change is lost between the two.
    private func settled<Value: Equatable>(
        _ now: () -> Value, _ observe: (@escaping @Sendable (Value) -> Void) -> MonitorObservation,
        _ note: @escaping @Sendable (Value) -> Void
    ) -> MonitorObservation {
        let observation = observe(note)
        var noted = now()
        note(noted)
        while now() != noted {
            noted = now()
            note(noted)
        }
        return observation
    }
}
