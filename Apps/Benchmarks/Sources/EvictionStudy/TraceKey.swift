/// A key with the same hash value in every run. This makes simulations of policies that use hashes reproducible.
struct TraceKey: Hashable, Sendable {
    var number: Int

    var hashValue: Int {
        let bits = UInt64(truncatingIfNeeded: number &* 0x2545_F491_4F6C_DD1D)
        let product = bits.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return Int(truncatingIfNeeded: product.high ^ product.low)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
