public import ImageMemoryCaching

/// Every policy under every trace at several capacities, beside the optimum.
public struct EvictionStudy: Sendable {
    /// One line of a table: a trace at a capacity.
    public struct Row: Sendable {
        public var trace: String
        /// Of the distinct keys, or of their bytes.
        public var share: Double
        /// In the order of the policies.
        public var outcomes: [Outcome]
        public var optimum: Outcome

        /// How near each policy comes to the optimum, 0 to 1 (by bytes the optimum is only a guess, and may be passed).
        public var ratios: [Double] { outcomes.map { $0.hitRatio / optimum.hitRatio } }
    }

    public let policies: [EvictionPolicy]
    public private(set) var byCount: [Row] = []
    public private(set) var byBytes: [Row] = []

    /// - Parameters:
    ///   - countShares: capacities as shares of the distinct keys.
    ///   - byteShares: capacities as shares of their bytes, for traces with sizes.
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

    /// The mean over rows of how near each policy comes to the optimum.
    public static func means(_ rows: [Row]) -> [Double] {
        guard let first = rows.first else { return [] }
        return first.ratios.indices.map { policy in
            rows.reduce(0) { $0 + $1.ratios[policy] } / Double(rows.count)
        }
    }
}
