import Foundation
import ImageTesting

/// Numbers of which the first comes most often, by Zipf's law: the chance of number n is proportional to 1 / (n + 1)^exponent.
struct Zipf {
    /// The chance of each number or one before it.
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
    /// Images that are asked for independently of each other, some much more often than others: the pattern of a server.
    public static func zipf(
        named name: String, count: Int = 20_000, exponent: Double, accesses: Int = 150_000, seed: UInt64
    ) -> Trace {
        var random = SeededRandom(seed: seed)
        let law = Zipf(count: count, exponent: exponent)
        var keys = KeyNumbers<Int>()
        return Trace(
            name: name,
            accesses: (0..<accesses).map { _ in Access(key: keys.number(of: law.next(using: &random)), size: 1) })
    }
}

/// The natural logarithm, under a name that hides no other.
func logarithm(_ value: Double) -> Double { log(value) }
