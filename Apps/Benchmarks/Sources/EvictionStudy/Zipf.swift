import Foundation
import ImageTesting

/// Random numbers with a Zipf distribution: the probability of n is proportional to 1 / (n + 1)^exponent.
struct Zipf {
    /// The cumulative probability of each number.
    private let cumulative: [Double]

    init(count: Int, exponent: Double) {
        var sum = 0.0
        let sums = (1...count).map { rank -> Double in
            sum += 1 / pow(Double(rank), exponent)
            return sum
        }
        cumulative = sums.map { $0 / sum }
    }

    func next(using random: inout SeededRandom) -> Int {
        let chance = Double.random(in: 0..<1, using: &random)
        var (low, high) = (0, cumulative.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] > chance { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Trace {
    /// Returns independent accesses whose keys have a Zipf distribution, the typical access pattern of a server.
    ///
    /// - Parameters:
    ///   - name: The name in tables.
    ///   - count: The number of keys.
    ///   - exponent: The exponent of the distribution. Larger values concentrate the accesses on fewer keys.
    ///   - accesses: The number of accesses.
    ///   - seed: The seed of the random numbers.
    public static func zipf(
        named name: String, count: Int = 20_000, exponent: Double, accesses: Int = 150_000, seed: UInt64
    ) -> Trace {
        var random = SeededRandom(seed: seed)
        let distribution = Zipf(count: count, exponent: exponent)
        var keys = KeyNumbers<Int>()
        return Trace(
            name: name,
            accesses: (0..<accesses).map { _ in Access(key: keys.number(of: distribution.next(using: &random)), size: 1)
            })
    }
}

/// Returns the natural logarithm. The name avoids a conflict with other functions.
func logarithm(_ value: Double) -> Double { log(value) }
