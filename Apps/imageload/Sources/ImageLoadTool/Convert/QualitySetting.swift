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

/// The limits of the quality and of the bytes of each file.
struct FileSizeOptions: ParsableArguments {
    @Option(help: "The lowest quality that --quality auto and --max-bytes choose. Default: 40, and 1 for --max-bytes.")
    var minQuality: Int?

    @Option(help: "The highest quality that --quality auto chooses. Default: 100.")
    var maxQuality: Int?

    @Option(help: "The largest file, such as 100kB. A lower quality than --quality is chosen if it has to be.")
    var maxBytes: ByteCount?

    @Option(help: "The time to make files smaller, from 0 (fastest) to 10 (smallest), in PNG, WebP, AVIF and JPEG XL.")
    var effort: Int?

    var bounds: FileBounds {
        FileBounds(minQuality: minQuality, maxQuality: maxQuality, maxBytes: maxBytes?.bytes, effort: effort)
    }

    /// Throws if the options contradict each other or the quality.
    func check(_ quality: QualitySetting) throws(ValidationError) {
        for (name, value) in [("--min-quality", minQuality), ("--max-quality", maxQuality)] {
            guard value.map((1...100).contains) ?? true else { throw ValidationError("\(name) must be from 1 to 100") }
        }
        guard effort.map((0...10).contains) ?? true else { throw ValidationError("--effort must be from 0 to 10") }
        guard maxBytes.map({ $0.bytes > 0 }) ?? true else { throw ValidationError("--max-bytes must be at least 1") }
        let isAutomatic = if case .automatic = quality { true } else { false }
        guard isAutomatic || maxQuality == nil else { throw ValidationError("--max-quality needs --quality auto") }
        guard isAutomatic || maxBytes != nil || minQuality == nil else {
            throw ValidationError("--min-quality needs --quality auto or --max-bytes")
        }
        let highest = if case .fixed(let quality) = quality { quality } else { maxQuality ?? 100 }
        guard minQuality ?? 1 <= highest else {
            throw ValidationError("--min-quality is above the highest quality, \(highest)")
        }
    }
}

/// The limits of the quality and of the bytes of a file; nil for the defaults.
struct FileBounds: Hashable, Sendable {
    var minQuality: Int?
    var maxQuality: Int?
    var maxBytes: Int?
    /// From 0 to 10.
    var effort: Int?
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
    /// The highest quality to try, at most 100.
    var highest = 100
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
        var (low, high) = (lowest - 1, highest + 1)
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
        return (try encode(highest), 1)
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
