/// A reproducible random number generator (SplitMix64; Steele, Lea and Flood 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.scramble(state)
    }

    /// Returns a number from 0 up to but not including 1.
    mutating func unit() -> Float { Float(next() >> 40) * 0x1p-24 }

    mutating func value(_ range: ClosedRange<Float>) -> Float {
        range.lowerBound + (range.upperBound - range.lowerBound) * unit()
    }

    mutating func index(below count: Int) -> Int { Int(next() >> 33) % count }

    mutating func chance(_ probability: Float) -> Bool { unit() < probability }

    /// Returns a bijective hash of 64 bits, in which each input bit changes about half of the output bits.
    static func scramble(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Returns a pseudorandom number from 0 to 1 for a point of a grid.
func latticeValue(_ x: Int, _ y: Int, seed: UInt32) -> Float {
    var hash = seed
    hash ^= UInt32(truncatingIfNeeded: x) &* 0x9E37_79B1
    hash = (hash ^ (hash >> 15)) &* 0x85EB_CA6B
    hash ^= UInt32(truncatingIfNeeded: y) &* 0xC2B2_AE35
    hash = (hash ^ (hash >> 13)) &* 0x27D4_EB2F
    hash = (hash ^ (hash >> 16)) &* 0x1656_67B1
    return Float((hash ^ (hash >> 14)) >> 8) * 0x1p-24
}

/// Returns one-dimensional value noise from 0 to 1. The lattice distance is 1.
func lineNoise(_ position: Float, seed: UInt32) -> Float {
    let cell = position.rounded(.down)
    let start = latticeValue(Int(cell), 0, seed: seed)
    let end = latticeValue(Int(cell) + 1, 0, seed: seed)
    return mix(start, end, eased(position - cell))
}
