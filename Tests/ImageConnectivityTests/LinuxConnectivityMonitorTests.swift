import ImageConnectivity
import ImageContractTesting
import ImageCore
import ImageTesting
import Testing

@Suite("Linux connectivity monitor")
struct LinuxConnectivityMonitorTests {
    @Test(
        "obeys ConditionMonitorContract",
        arguments: ConditionMonitorContract.rules(first: Connectivity.online, second: .offline))
    func contract(_ rule: ContractRule<ConditionMonitorContract.Subject<Connectivity>>) async throws {
        try await rule.check {
            let routes = ScriptedRoutes(.success(true))
            return ConditionFixture(monitor: try LinuxConnectivityMonitor(routes: routes)) {
                await routes.change(to: .success($0 == .online))
            }
        }
    }

    @Test("if routes can't be read, the condition doesn't change and the failure is reported until they can be read")
    func unreadable() async throws {
        let (routes, error) = (ScriptedRoutes(.success(true)), ConnectivityFailure.systemError(call: "recv", code: 105))
        let (monitor, log) = (try LinuxConnectivityMonitor(routes: routes), MessageLog<Connectivity>())
        let observation = monitor.observe { log.append($0) }
        await routes.change(to: .failure(error))
        #expect(monitor.condition == .online && monitor.failure == error)
        await routes.change(to: .success(false))
        #expect(monitor.condition == .offline && monitor.failure == nil)
        #expect(log.messages == [.offline])
        withExtendedLifetime(observation) {}
    }

    @Test("init throws if routes can't be read")
    func throwsWithoutRoutes() {
        let error = ConnectivityFailure.systemError(call: "socket", code: 1)
        #expect(throws: error) { try LinuxConnectivityMonitor(routes: ScriptedRoutes(.failure(error))) }
    }

    @Test("the thread ends when the monitor is deinitialized", .timeLimit(.minutes(10)))
    func threadEnds() async throws {
        let routes = ScriptedRoutes(.success(false))
        let condition = try LinuxConnectivityMonitor(routes: routes).condition
        await routes.waiterDidEnd()
        #expect(condition == .offline)
    }
}
