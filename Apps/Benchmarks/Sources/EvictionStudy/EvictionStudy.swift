public import ImageMemoryCaching

/// Simulates each policy on each trace at several capacities and compares it with the optimum.
public struct EvictionStudy: Sendable {
    /// A table row: the results of all policies for a trace at a capacity.
    public struct Row: Sendable {
        /// The name of the trace.
        public var trace: String
        /// The capacity as a share of the distinct keys, or of their bytes.
        public var share: Double
        /// The results in the order of the policies.
        public var outcomes: [Outcome]
        /// The result of `Optimum`.
        public var optimum: Outcome

        /// The hit ratio of each policy, divided by that of the optimum.
        ///
        /// A ratio can exceed 1 for a capacity in bytes, because that optimum is an estimate.
        public var ratios: [Double] { outcomes.map { $0.hitRatio / optimum.hitRatio } }
    }

    /// The simulated policies, which are the columns of the tables.
    public let policies: [EvictionPolicy]
    /// The results for capacities in entries.
    public private(set) var byCount: [Row] = []
    /// The results for capacities in bytes. Only contains traces with sizes.
    public private(set) var byBytes: [Row] = []

    /// Runs all simulations.
    ///
    /// - Parameters:
    ///   - traces: The accesses to simulate.
    ///   - policies: The policies to compare.
    ///   - countShares: The capacities as shares of the distinct keys.
    ///   - byteShares: The capacities as shares of the distinct bytes, for traces with sizes.
    public init(
        _ traces: [Trace], policies: [EvictionPolicy], countShares: [Double] = [0.05, 0.1, 0.25],
        byteShares: [Double] = [0.01, 0.1]
    ) {
        self.policies = policies
        for trace in traces {
            byCount += countShares.map { row(trace, $0, inBytes: false) }
            if trace.hasSizes { byBytes += byteShares.map { row(trace, $0, inBytes: true) } }
        }
    }

    private func row(_ trace: Trace, _ share: Double, inBytes: Bool) -> Row {
        let capacity = Capacity.share(share, of: trace, inBytes: inBytes)
        return Row(
            trace: trace.name, share: share, outcomes: policies.map { Simulation.run(trace, $0, capacity) },
            optimum: Optimum.run(trace, capacity))
    }

    /// Returns the mean of `ratios` over all rows, for each policy.
    public static func means(_ rows: [Row]) -> [Double] {
        guard let first = rows.first else { return [] }
        return first.ratios.indices.map { policy in
            rows.reduce(0) { $0 + $1.ratios[policy] } / Double(rows.count)
        }
    }
}
