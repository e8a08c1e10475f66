/// A reproducible random number generator (SplitMix64; Steele, Lea and Flood 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.scramble(state)
    }

    /// Returns a number in a range.
    mutating func value(_ range: ClosedRange<Float>) -> Float {
        range.lowerBound + (range.upperBound - range.lowerBound) * Float(next() >> 40) * 0x1p-24
    }

    mutating func index(below count: Int) -> Int { Int(next() >> 33) % count }

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
    hash ^= hash >> 15
    hash ^= UInt32(truncatingIfNeeded: y) &* 0xC2B2_AE35
    hash = (hash ^ (hash >> 13)) &* 0x27D4_EB2F
    return Float((hash ^ (hash >> 14)) >> 8) * 0x1p-24
}

/// Several octaves of value noise. Values are from about -1 to 1, with a mean of 0.
struct Noise {
    private let frequency: SIMD2<Float>
    private var amplitudes = SIMD8<Float>()
    private let seed: UInt32

    /// - Parameters:
    ///   - frequency: The number of cells of the coarsest octave per unit of the scene.
    ///   - octaves: At most 8.
    ///   - gain: The amplitude of an octave relative to that of the previous one.
    ///   - pixel: The distance between two pixels. Octaves that are finer fade out, so that small and large images look
    ///     the same.
    init(frequency: SIMD2<Float>, octaves: Int, gain: Float = 0.55, seed: UInt32, pixel: Float) {
        self.frequency = frequency
        self.seed = seed
        var (scale, amplitude): (Float, Float) = (1, 2 * (1 - gain))
        for octave in 0..<octaves {
            amplitudes[octave] = amplitude * ramp(1, 3, 1 / (frequency.x * scale * pixel))
            amplitude *= gain
            scale *= 2
        }
    }

    func callAsFunction(_ point: SIMD2<Float>, octaves: Int = 8) -> Float {
        var (sum, place): (Float, SIMD2<Float>) = (0, point * frequency)
        for octave in 0..<octaves where amplitudes[octave] > 0 {
            sum += amplitudes[octave] * (lattice(place, seed &+ UInt32(octave) &* 0x68E3_1DA4) - 0.5)
            place *= 2
        }
        return sum
    }

    private func lattice(_ point: SIMD2<Float>, _ seed: UInt32) -> Float {
        let cell = point.rounded(.down)
        let (x, y) = (Int(cell.x), Int(cell.y))
        let (right, down) = (eased(point.x - cell.x), eased(point.y - cell.y))
        let top = mix(latticeValue(x, y, seed: seed), latticeValue(x + 1, y, seed: seed), right)
        let bottom = mix(latticeValue(x, y + 1, seed: seed), latticeValue(x + 1, y + 1, seed: seed), right)
        return mix(top, bottom, down)
    }
}

/// Returns one-dimensional value noise from 0 to 1. The lattice distance is 1.
func lineNoise(_ position: Float, seed: UInt32) -> Float {
    let cell = position.rounded(.down)
    let start = latticeValue(Int(cell), 0, seed: seed)
    return mix(start, latticeValue(Int(cell) + 1, 0, seed: seed), eased(position - cell))
}
