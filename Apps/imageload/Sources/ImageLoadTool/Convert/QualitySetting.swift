import ArgumentParser
import Foundation
import ImageCore

/// The value of `--quality`: a number, or a similarity to reach.
enum QualitySetting: ExpressibleByArgument, Hashable, Sendable {
    /// From 1 to 100.
    case fixed(Int)
    /// The structural similarity to reach, from above 0 to below 1.
    case automatic(Double)

    static let defaultTarget = 0.97

    init?(argument: String) {
        if let quality = Int(argument) {
            guard (1...100).contains(quality) else { return nil }
            self = .fixed(quality)
            return
        }
        let parts = argument.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        guard parts[0] == "auto", parts.count <= 2 else { return nil }
        guard let target = parts.count == 2 ? Double(parts[1]) : Self.defaultTarget, target > 0, target < 1 else {
            return nil
        }
        self = .automatic(target)
    }

    var defaultValueDescription: String {
        switch self {
        case .fixed(let quality): "\(quality)"
        case .automatic(let target): "auto:\(target)"
        }
    }
}

/// Finds the lowest quality whose result is similar enough to the source.
struct QualitySearch {
    /// One encoding.
    struct Trial<File> {
        var quality: Int
        var file: File
        var ssim: Double
    }

    static let mostEncodes = 8

    var target: Double
    /// The lowest quality to try, at least 1.
    var lowest = 1
    /// The quality to try first.
    var first = 75
    /// A result this little above the target ends the search.
    var tolerance = 0.0005

    /// Encodes up to eight times. Returns the file of the lowest quality that reaches the target, and otherwise that of
    /// the highest quality, and the number of encodes.
    ///
    /// The similarity grows with the quality. The next quality is estimated from the logarithms of the dissimilarities
    /// around the target, and kept far enough from both ends that the rest of the search always suffices.
    func run<File>(_ encode: (Int) throws -> Trial<File>) rethrows -> (best: Trial<File>, encodes: Int) {
        var (low, high) = (lowest - 1, 101)
        var below: Trial<File>?
        var above: Trial<File>?
        var encodes = 0
        while high - low > 1, encodes < Self.mostEncodes {
            let trial = try encode(next(low, high, below, above, left: Self.mostEncodes - encodes))
            encodes += 1
            if trial.ssim >= target {
                above = trial
                high = trial.quality
                if trial.ssim - target <= tolerance { break }
            } else {
                below = trial
                low = trial.quality
            }
        }
        if let best = above ?? below { return (best, encodes) }
        return (try encode(100), 1)
    }

    private func next<File>(
        _ low: Int, _ high: Int, _ below: Trial<File>?, _ above: Trial<File>?, left: Int
    ) -> Int {
        // After this encode, at most 2^(left - 1) - 1 qualities may be left on either side.
        let reach = 1 << (left - 1)
        let allowed = max(low + 1, high - reach)...min(high - 1, low + reach)
        guard let below, let above else {
            let guess = below == nil && above == nil ? first : (low + high) / 2
            return min(max(guess, allowed.lowerBound), allowed.upperBound)
        }
        let (worse, better) = (dissimilarity(below.ssim), dissimilarity(above.ssim))
        let part = worse == better ? 0.5 : (worse - dissimilarity(target)) / (worse - better)
        let guess = low + Int((part * Double(high - low)).rounded(.up))
        return min(max(guess, allowed.lowerBound), allowed.upperBound)
    }

    private func dissimilarity(_ ssim: Double) -> Double { log(max(1e-6, 1 - ssim)) }
}
