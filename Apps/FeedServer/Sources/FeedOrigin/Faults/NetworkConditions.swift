/// The latency, bandwidth and fault of a response.
public struct NetworkConditions: Hashable, Sendable {
    /// The delay before the first byte.
    public var latency: Duration = .zero
    /// The maximum number of bytes per second, or `nil` for no limit.
    public var bandwidth: Int?
    /// The injected failure, or `nil` if the response succeeds.
    public var fault: Fault?

    /// Creates conditions.
    public init(latency: Duration = .zero, bandwidth: Int? = nil, fault: Fault? = nil) {
        self.latency = latency
        self.bandwidth = bandwidth
        self.fault = fault
    }

    /// Creates the conditions of a response from the query and the server's defaults. The query takes precedence.
    ///
    /// The query parameters are `latency` (ms), `bandwidth` (bytes/s), `status`, `fault`, and `times`. `times` limits a
    /// fault to the first requests for the same target.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - attempt: The number of requests for this target so far, including this one.
    ///   - defaults: The conditions that the query doesn't specify.
    /// - Throws: `RequestFailure.malformed` if a parameter is invalid.
    public init(_ request: HTTPRequest, attempt: Int, defaults: NetworkDefaults) throws(RequestFailure) {
        let milliseconds = try Self.number(request, "latency", 0...600_000)
        latency = milliseconds.map { .milliseconds($0) } ?? defaults.latency
        bandwidth = try Self.number(request, "bandwidth", 1...(1 << 40)) ?? defaults.bandwidth
        let requested = try Self.fault(request)
        let times = try Self.number(request, "times", 0...1_000_000) ?? .max
        fault = attempt <= times ? requested : nil
        if requested == nil, request.path.hasPrefix("/images/") {
            fault = defaults.failure(target: request.target, attempt: attempt)
        }
    }

    private static func fault(_ request: HTTPRequest) throws(RequestFailure) -> Fault? {
        if let status = try number(request, "status", 200...599) { return .status(status) }
        guard let text = request.parameter("fault") else { return nil }
        guard let fault = Fault(text) else {
            let known = Fault.plain.keys.sorted().joined(separator: ", ")
            throw .malformed("fault must be one of \(known), drop-after=N, status=N")
        }
        return fault
    }

    /// Returns the value of a query parameter, or nil if it is absent.
    ///
    /// - Throws: `RequestFailure.malformed` if the value is not an integer in the range.
    static func number(_ request: HTTPRequest, _ name: String, _ range: ClosedRange<Int>) throws(RequestFailure) -> Int?
    {
        guard let text = request.parameter(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .malformed("\(name) must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// The conditions of all requests that don't specify their own.
public struct NetworkDefaults: Hashable, Sendable {
    /// The delay before the first byte.
    public var latency: Duration
    /// The maximum number of bytes per second, or `nil` for no limit.
    public var bandwidth: Int?
    /// The share of image requests that fail, from 0 to 1.
    public var failureRate: Double
    /// The faults of requests that fail. They are equally probable.
    public var faults: [Fault]
    /// The seed that determines which requests fail.
    public var seed: UInt64

    /// Creates defaults. Without arguments, no request fails.
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

    /// Returns the fault of a request, or nil if it succeeds.
    ///
    /// The result depends only on seed, target and attempt, not on the order of the requests. This makes runs
    /// reproducible.
    func failure(target: String, attempt: Int) -> Fault? {
        guard failureRate > 0, !faults.isEmpty else { return nil }
        var numbers = SeededGenerator(
            seed: seed ^ fingerprint(target.utf8) &+ UInt64(truncatingIfNeeded: attempt) &* 0x9E37_79B9)
        guard Double(numbers.unit()) < failureRate else { return nil }
        return faults[numbers.index(below: faults.count)]
    }
}

/// Returns a 64-bit hash of the bytes (FNV-1a with a final mixing step).
func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return SeededGenerator.scramble(hash)
}
