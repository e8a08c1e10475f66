import ImageConnectivity
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@Suite("The connectivity of Linux")
struct LinuxConnectivityMonitorTests {
    @Test(
        "the monitor obeys the contract of ConditionMonitor",
        arguments: ConditionMonitorContract.rules(first: Connectivity.online, second: .offline))
    func contract(_ rule: ContractRule<ConditionMonitorContract.Subject<Connectivity>>) async throws {
        try await rule.check {
            let routes = ScriptedRoutes(.success(true))
            return ConditionFixture(monitor: try LinuxConnectivityMonitor(routes: routes)) {
                await routes.bring(.success($0 == .online))
            }
        }
    }

    @Test("routes that can't be read leave it as it was, and are told until they can")
    func unreadable() async throws {
        let (routes, refusal) = (ScriptedRoutes(.success(true)), ConnectivityFailure.refused(call: "recv", code: 105))
        let (monitor, log) = (try LinuxConnectivityMonitor(routes: routes), MessageLog<Connectivity>())
        let observation = monitor.observe { log.append($0) }
        await routes.bring(.failure(refusal))
        #expect(monitor.condition == .online && monitor.failure == refusal)
        await routes.bring(.success(false))
        #expect(monitor.condition == .offline && monitor.failure == nil)
        #expect(log.messages == [.offline])
        withExtendedLifetime(observation) {}
    }

    @Test("where routes can't be read at all there is no monitor")
    func none() {
        let refusal = ConnectivityFailure.refused(call: "socket", code: 1)
        #expect(throws: refusal) { try LinuxConnectivityMonitor(routes: ScriptedRoutes(.failure(refusal))) }
    }

    @Test("its thread ends with it", .timeLimit(.minutes(10)))
    func end() async throws {
        let routes = ScriptedRoutes(.success(false))
        let condition = try LinuxConnectivityMonitor(routes: routes).condition
        await routes.left()
        #expect(condition == .offline)
    }
}
