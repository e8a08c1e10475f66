/// The Gaussian as a sum of weighted samples where it is narrow, recursive where it is wide.
enum GaussianFilter {
    /// Below this the recursive filter is not exact enough, and sums cost less anyway.
    private static let narrow = 2.0

    static func make(sigma: Double) -> any LineFilter {
        sigma < narrow ? SampledGaussian(sigma: sigma) : RecursiveGaussian(sigma: sigma)
    }
}

/// The Gaussian, sampled at whole distances to five standard deviations, beyond which less than a millionth lies.
struct SampledGaussian: LineFilter {
    /// The weight of the middle, then of both neighbours, and so on.
    private let weights: [Double]

    init(sigma: Double) {
        let reach = Int((5 * sigma).rounded(.up))
        let values = (0...reach).map { distance in
            let deviations = Double(distance) / sigma
            return ExactMath.exponential(of: -deviations * deviations / 2)
        }
        let sum = values.dropFirst().reduce(values[0]) { $0 + 2 * $1 }
        weights = values.map { $0 / sum }
    }

    func apply(to line: inout FilteredLine) {
        let last = line.samples.count - 1
        for place in line.samples.indices {
            var sum = line.samples[place] * weights[0]
            for distance in 1..<weights.count {
                let both = line.samples[max(0, place - distance)] + line.samples[min(last, place + distance)]
                sum += both * weights[distance]
            }
            line.result[place] = sum
        }
    }
}

/// The Gaussian as a sum of four recursive filters: two cosines that die away to the right, and their mirror images.
///
/// Deriche, "Recursively implementing the Gaussian and its derivatives" (INRIA 1993), fourth order, each pair of poles by
/// itself, so that doubles suffice for any width.
struct RecursiveGaussian: LineFilter {
    /// y[n] = b0 x[n] + b1 x[n-1] - a1 y[n-1] - a2 y[n-2]
    private struct Section {
        var b0, b1, a1, a2: Double

        /// What a constant 1 becomes.
        var gain: Double { (b0 + b1) / (1 + a1 + a2) }

        mutating func scale(by factor: Double) {
            b0 *= factor
            b1 *= factor
        }

        /// (cosine cos(wn) + sine sin(wn)) e^(-dn) for n from 0 on; w and d in units of 1 / sigma.
        init(cosine: Double, sine: Double, decay: Double, frequency: Double, sigma: Double) {
            let fading = ExactMath.exponential(of: -decay / sigma)
            let turn = ExactMath.turn(by: frequency / sigma)
            b0 = cosine
            b1 = fading * (sine * turn.sine - cosine * turn.cosine)
            a1 = -2 * fading * turn.cosine
            a2 = fading * fading
        }
    }

    private var first: Section
    private var second: Section
    /// Both directions count the sample itself; once is too often.
    private let middle: Double

    init(sigma: Double) {
        first = Section(cosine: 1.68, sine: 3.735, decay: 1.783, frequency: 0.6318, sigma: sigma)
        second = Section(cosine: -0.6803, sine: -0.2598, decay: 1.723, frequency: 1.997, sigma: sigma)
        let sum = 2 * (first.gain + second.gain) - (first.b0 + second.b0)
        first.scale(by: 1 / sum)
        second.scale(by: 1 / sum)
        middle = first.b0 + second.b0
    }

    func apply(to line: inout FilteredLine) {
        let count = line.samples.count
        var run = Run(of: self, along: line.samples[0])
        for place in 0..<count { line.result[place] = run.next(line.samples[place]) - middle * line.samples[place] }
        run = Run(of: self, along: line.samples[count - 1])
        for place in stride(from: count - 1, through: 0, by: -1) { line.result[place] += run.next(line.samples[place]) }
    }

    /// One pass over a line.
    private struct Run {
        let first: Section
        let second: Section
        var previous: SIMD4<Double>
        var (first1, first2): (SIMD4<Double>, SIMD4<Double>)
        var (second1, second2): (SIMD4<Double>, SIMD4<Double>)

        /// As if the line had had this value for ever.
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

/// Functions whose last bits differ between C libraries, in plain arithmetic that does not.
enum ExactMath {
    /// e to a power of 0 or less; 0 where that is below 1e-300.
    static func exponential(of power: Double) -> Double {
        guard power > -690 else { return 0 }
        // (e^(x/1024))^1024, the inner one by its series.
        let part = power / 1024
        var sum = 1 + part / 8
        for divisor in stride(from: 7.0, through: 1, by: -1) { sum = 1 + part / divisor * sum }
        for _ in 0..<10 { sum *= sum }
        return sum
    }

    /// Sine and cosine of an angle from 0 to 1, by their series.
    static func turn(by angle: Double) -> (sine: Double, cosine: Double) {
        let square = angle * angle
        var (sine, cosine) = (1.0, 1.0)
        for term in stride(from: 18.0, through: 2, by: -2) {
            sine = 1 - square / (term * (term + 1)) * sine
            cosine = 1 - square / (term * (term - 1)) * cosine
        }
        return (angle * sine, cosine)
    }
}
