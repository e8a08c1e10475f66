#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Selects a Gaussian filter: a weighted sum for a small sigma, a recursive filter for a large one.
enum GaussianFilter {
    /// The minimum sigma of the recursive filter. Below it, the weighted sum is more accurate and faster.
    private static let recursiveThreshold = 2.0

    static func make(sigma: Double) -> any LineFilter {
        sigma < recursiveThreshold ? SampledGaussian(sigma: sigma) : RecursiveGaussian(sigma: sigma)
    }
}

/// A Gaussian sampled at integer distances up to five standard deviations. The weight beyond that is below 1e-6.
struct SampledGaussian: LineFilter {
    /// The weight of the center, then of both neighbors, and so on.
    private let weights: [Double]

    init(sigma: Double) {
        let radius = Int((5 * sigma).rounded(.up))
        let values = (0...radius).map { distance in
            let deviations = Double(distance) / sigma
            return exp(-deviations * deviations / 2)
        }
        let sum = values.dropFirst().reduce(values[0]) { $0 + 2 * $1 }
        weights = values.map { $0 / sum }
    }

    func apply(to line: inout FilteredLine) {
        let last = line.samples.count - 1
        for index in line.samples.indices {
            var sum = line.samples[index] * weights[0]
            for distance in 1..<weights.count {
                let both = line.samples[max(0, index - distance)] + line.samples[min(last, index + distance)]
                sum += both * weights[distance]
            }
            line.result[index] = sum
        }
    }
}

/// A Gaussian as the sum of four recursive filters: two damped cosines to the right, and their mirror images.
///
/// Deriche, "Recursively implementing the Gaussian and its derivatives" (INRIA 1993), fourth order. Each pair of poles
/// is a separate section, so that double precision suffices for any sigma.
struct RecursiveGaussian: LineFilter {
    /// y[n] = b0 x[n] + b1 x[n-1] - a1 y[n-1] - a2 y[n-2]
    private struct Section {
        var b0, b1, a1, a2: Double

        /// The response to a constant 1.
        var gain: Double { (b0 + b1) / (1 + a1 + a2) }

        mutating func scale(by factor: Double) {
            b0 *= factor
            b1 *= factor
        }

        /// Creates a section with the impulse response (cosine cos(wn) + sine sin(wn)) e^(-dn) for n >= 0. w and d are in
        /// units of 1 / sigma.
        init(cosine: Double, sine: Double, decay: Double, frequency: Double, sigma: Double) {
            let decayFactor = exp(-decay / sigma)
            let (sine1, cosine1) = (sin(frequency / sigma), cos(frequency / sigma))
            b0 = cosine
            b1 = decayFactor * (sine * sine1 - cosine * cosine1)
            a1 = -2 * decayFactor * cosine1
            a2 = decayFactor * decayFactor
        }
    }

    private var first: Section
    private var second: Section
    /// The weight of the current sample, which both directions include.
    private let center: Double

    init(sigma: Double) {
        first = Section(cosine: 1.68, sine: 3.735, decay: 1.783, frequency: 0.6318, sigma: sigma)
        second = Section(cosine: -0.6803, sine: -0.2598, decay: 1.723, frequency: 1.997, sigma: sigma)
        let sum = 2 * (first.gain + second.gain) - (first.b0 + second.b0)
        first.scale(by: 1 / sum)
        second.scale(by: 1 / sum)
        center = first.b0 + second.b0
    }

    func apply(to line: inout FilteredLine) {
        let count = line.samples.count
        var run = Run(of: self, along: line.samples[0])
        for index in 0..<count { line.result[index] = run.next(line.samples[index]) - center * line.samples[index] }
        run = Run(of: self, along: line.samples[count - 1])
        for index in stride(from: count - 1, through: 0, by: -1) { line.result[index] += run.next(line.samples[index]) }
    }

    /// The state of one pass over a line.
    private struct Run {
        let first: Section
        let second: Section
        var previous: SIMD4<Double>
        var (first1, first2): (SIMD4<Double>, SIMD4<Double>)
        var (second1, second2): (SIMD4<Double>, SIMD4<Double>)

        /// Creates the state after infinitely many samples with this value.
        init(of filter: RecursiveGaussian, along value: SIMD4<Double>) {
            first = filter.first
            second = filter.second
            previous = value
            first1 = value * first.gain
            first2 = first1
            second1 = value * second.gain
            second2 = second1
        }

        @inline(__always)
        mutating func next(_ value: SIMD4<Double>) -> SIMD4<Double> {
            let one = value * first.b0 + previous * first.b1 - first1 * first.a1 - first2 * first.a2
            let two = value * second.b0 + previous * second.b1 - second1 * second.a1 - second2 * second.a2
            (first1, first2, second1, second2, previous) = (one, first1, two, second1, value)
            return one + two
        }
    }
}
