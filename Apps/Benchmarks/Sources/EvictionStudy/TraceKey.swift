/// A key whose hash is the same in every run, so that a simulation of policies that go by hashes can be repeated.
struct TraceKey: Hashable, Sendable {
    var number: Int

    /// The cache spreads this over all bits.
    var hashValue: Int { number &* 0x2545_F491_4F6C_DD1D }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
