import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@testable import ImageMonitoring

@Suite("Linux connectivity monitor")
struct LinuxConnectivityMonitorTests {
    @Test(
        "obeys ConditionMonitorContract",
        arguments: ConditionMonitorContract.rules(first: Connectivity.online, second: .offline))
    func contract(_ rule: ContractRule<ConditionMonitorContract.Subject<Connectivity>>) async throws {
        try await rule.check {
            let isOnline = Watched(true)
            let monitor = LinuxConnectivityMonitor { isOnline.value }
            return ConditionFixture(monitor: monitor) { condition in
                isOnline.change { $0 = condition == .online }
                monitor.update()
            }
        }
    }

    @Test("the loopback interface alone is no network, and a probe can be repeated")
    func probe() throws {
        let monitor = try LinuxConnectivityMonitor()
        let condition = monitor.condition
        for _ in 0..<3 { monitor.update() }
        #expect(monitor.condition == condition)
    }
}
