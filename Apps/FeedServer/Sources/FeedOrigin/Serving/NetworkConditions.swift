import LoopbackServer

/// The latency, bandwidth and fault of a response.
struct NetworkConditions: Hashable {
    /// The delay before the first byte.
    var latency: Duration = .zero
    /// The maximum number of bytes per second, or nil for no limit.
    var bandwidth: Int?
    /// The injected failure, or nil if the response succeeds.
    var fault: Fault?

    /// Creates the conditions of a response from the query and the server's defaults. The query takes precedence.
    ///
    /// The query parameters are `latency` (ms), `bandwidth` (bytes/s), `status`, `fault`, and `times`. `times` limits a
    /// fault to the first requests for the same target.
    ///
    /// - Parameters:
    ///   - target: The target of the request.
    ///   - defaults: The conditions that the query doesn't specify.
    ///   - randomFault: The fault of the request if the query doesn't specify one.
    ///   - attempt: The number of requests for this target so far, including this one.
    /// - Throws: `BadRequest` if a parameter is invalid.
    init(
        _ target: Target, defaults: NetworkDefaults, randomFault: Fault?, attempt: Int
    ) throws(BadRequest) {
        let milliseconds = try target.number("latency", 0...600_000)
        latency = milliseconds.map { .milliseconds($0) } ?? defaults.latency
        bandwidth = try target.number("bandwidth", 1...(1 << 40)) ?? defaults.bandwidth
        let times = try target.number("times", 0...1_000_000) ?? .max
        let requested = try Self.fault(target)
        fault = requested == nil ? randomFault : attempt <= times ? requested : nil
    }

    private static func fault(_ target: Target) throws(BadRequest) -> Fault? {
        if let status = try target.number("status", 200...599) { return .status(status) }
        guard let text = target["fault"] else { return nil }
        guard let fault = Fault(text) else { throw BadRequest(text: "unknown fault: \(text)") }
        return fault
    }

    /// Returns the reply that sends a response under these conditions.
    func reply(sending response: LoopbackResponse) -> LoopbackReply {
        let steps = fault?.steps(sending: response) ?? response.steps()
        let delay = latency > .zero ? [LoopbackStep.pause(latency)] : []
        return .steps(delay + steps.flatMap(slowed))
    }

    /// Sends chunks of a twentieth of a second, and waits after each for the time that it takes.
    private func slowed(_ step: LoopbackStep) -> [LoopbackStep] {
        guard let bandwidth, case .bytes(let bytes) = step else { return [step] }
        let size = max(1, min(64 << 10, bandwidth / 20))
        return stride(from: 0, to: bytes.count, by: size).flatMap { start -> [LoopbackStep] in
            let chunk = bytes[start...].prefix(size)
            return [.bytes(Array(chunk)), .pause(.seconds(1) * chunk.count / bandwidth)]
        }
    }
}

/// The conditions of all requests that don't specify their own.
public struct NetworkDefaults: Sendable {
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

    /// Returns the fault of a request for an image, or nil if it succeeds.
    ///
    /// The result depends only on seed, target and attempt, not on the order of the requests. This makes runs
    /// reproducible.
    func failure(target: String, attempt: Int) -> Fault? {
        guard failureRate > 0, !faults.isEmpty else { return nil }
        var numbers = SeededGenerator(
            seed: seed ^ fingerprint(target.utf8) &+ UInt64(truncatingIfNeeded: attempt) &* 0x9E37_79B9)
        guard Double(numbers.value(0...1)) < failureRate else { return nil }
        return faults[numbers.index(below: faults.count)]
    }
}

/// Returns a 64-bit hash of the bytes (FNV-1a with a final mixing step).
func fingerprint(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return SeededGenerator.scramble(hash)
}
