import AppleDispatch
import ImageCore
import ImageMonitoring
import ImageTesting
import Network
import Synchronization
import Testing

/// The suites that use or change what a process has once, its monitors and settings, one after the other.
@Suite(.serialized)
enum ProcessState {}

extension ProcessState {
    @Suite("Monitors of Apple's platforms", .serialized, .timeLimit(.minutes(1)))
    struct MonitoringTests {
        @Test("reports each level of memory pressure, distress again, and nothing after its release")
        func memory() async {
            let levels = Watched<[MemoryPressureLevel]>([])
            let monitor = DispatchMemoryPressureMonitor()
            let observation = monitor.observe { level in levels.change { $0.append(level) } }
            var expected: [MemoryPressureLevel] = []
            for (event, level) in [
                (DispatchSource.MemoryPressureEvent.warning, MemoryPressureLevel.warning), (.warning, .warning),
                (.critical, .critical), (.normal, .normal),
            ] {
                MemoryPressureStub.raise(event)
                expected.append(level)
                await levels.waitUntil { [expected] in $0 == expected }
                #expect(monitor.condition == level)
            }
            observation.cancel()
        }

        @Test("the sources and the path monitor are cancelled when their monitors are released")
        func release() {
            let (sources, paths) = (MemoryPressureStub.observingCount, NetworkStub.observingCount)
            var memory: DispatchMemoryPressureMonitor? = DispatchMemoryPressureMonitor()
            var network: NetworkConnectivityMonitor? = NetworkConnectivityMonitor()
            #expect(memory != nil && network != nil)
            #expect(MemoryPressureStub.observingCount == sources + 3)
            #expect(NetworkStub.observingCount == paths + 1)
            memory = nil
            network = nil
            #expect(MemoryPressureStub.observingCount == sources)
            #expect(NetworkStub.observingCount == paths)
        }

        @Test("is offline only while no connection can be made")
        func network() {
            let monitor = NetworkConnectivityMonitor()
            let changes = Mutex<[Connectivity]>([])
            let observation = monitor.observe { change in changes.withLock { $0.append(change) } }
            #expect(monitor.condition == .online)
            for status: NWPath.Status in [.unsatisfied, .requiresConnection, .unsatisfied, .satisfied, .satisfied] {
                NetworkStub.change(status)
            }
            #expect(changes.withLock { $0 } == [.offline, .online, .offline, .online])
            observation.cancel()
        }
    }
}
