/// How one answer is to be delivered: how late, how slowly, and how it fails.
public struct Misbehaviour: Hashable, Sendable {
    /// Before the first byte.
    public var latency: Duration = .zero
    /// Bytes per second of the whole answer; nil for as fast as it goes.
    public var bandwidth: Int?
    public var fault: Fault?

    public init(latency: Duration = .zero, bandwidth: Int? = nil, fault: Fault? = nil) {
        self.latency = latency
        self.bandwidth = bandwidth
        self.fault = fault
    }

    /// What the query asks for, over the server's own switches: `latency` (ms), `bandwidth` (bytes/s), `status`, `fault`,
    /// and `times`, which ends the failure after so many requests for the same target.
    ///
    /// - Parameter attempt: how many requests for this target came before and with this one, from 1.
    public init(_ request: HTTPRequest, attempt: Int, switches: Switches) throws(RequestFailure) {
        let milliseconds = try Self.number(request, "latency", 0...600_000)
        latency = milliseconds.map { .milliseconds($0) } ?? switches.latency
        bandwidth = try Self.number(request, "bandwidth", 1...(1 << 40)) ?? switches.bandwidth
        let wanted = try Self.fault(request)
        let times = try Self.number(request, "times", 0...1_000_000) ?? .max
        fault = attempt <= times ? wanted : nil
        if wanted == nil, request.path.hasPrefix("/images/") {
            fault = switches.failure(target: request.target, attempt: attempt)
        }
    }

    private static func fault(_ request: HTTPRequest) throws(RequestFailure) -> Fault? {
        if let status = try number(request, "status", 200...599) { return .status(status) }
        guard let text = request.parameter("fault") else { return nil }
        guard let fault = Fault(text) else {
            let known = Fault.plain.keys.sorted().joined(separator: ", ")
            throw .malformed("fault is one of \(known), drop-after=N, status=N")
        }
        return fault
    }

    static func number(_ request: HTTPRequest, _ name: String, _ range: ClosedRange<Int>) throws(RequestFailure) -> Int?
    {
        guard let text = request.parameter(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .malformed("\(name) has to be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// The server's own switches, for every request that does not ask otherwise.
public struct Switches: Hashable, Sendable {
    public var latency: Duration
    public var bandwidth: Int?
    /// The share of image requests that fail, from 0 to 1.
    public var failureRate: Double
    /// How they fail, each as often as the others.
    public var faults: [Fault]
    public var seed: UInt64

    public init(
        latency: Duration = .zero, bandwidth: Int? = nil, failureRate: Double = 0,
        faults: [Fault] = [.status(503), .reset, .truncate], seed: UInt64 = 1
    ) {
        self.latency = latency
        self.bandwidth = bandwidth
        self.failureRate = failureRate
        self.faults = faults
        self.seed = seed
    }

    /// Depends on seed, target and attempt alone, not on the order in which clients come; so a run can be repeated.
    func failure(target: String, attempt: Int) -> Fault? {
        guard failureRate > 0, !faults.isEmpty else { return nil }
        var numbers = SeededGenerator(
            seed: seed ^ fingerprint(target.utf8) &+ UInt64(truncatingIfNeeded: attempt) &* 0x9E37_79B9)
        guard Double(numbers.unit()) < failureRate else { return nil }
        return faults[numbers.index(below: faults.count)]
    }
}

/// 64 bits that stand for some bytes (FNV-1a, scrambled at the end).
func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return SeededGenerator.scramble(hash)
}
