import ImageCore
import Testing

@testable import ImagePresenting

/// Lists and animations.
extension ExtremeCase {
    static var lists: [ExtremeCase] { [prefetchWindow, prefetchTimes, frameBudget] }

    private static let prefetchWindow = ExtremeCase("PrefetchWindow with whole numbers") {
        for value in ints {
            for other in ints {
                for count in [Int.min, -1, 0, 1, 1_000, .max] {
                    var window = PrefetchWindow(options: .init(minAhead: value, maxAhead: other))
                    for start in [Int.min, -5, 0, 400, .max - 9] {
                        _ = window.update(visible: start..<start + 9, of: count, at: .seconds(1))
                    }
                    let change = window.update(visible: .min..<(.max), of: count, at: .seconds(2))
                    #expect(change.loads.count <= 30_000)
                    #expect(window.items.isEmpty || window.items.upperBound <= count)
                }
            }
        }
    }

    private static let prefetchTimes = ExtremeCase("PrefetchWindow with durations and fractions") {
        for duration in durations {
            for fraction in doubles {
                let options = PrefetchOptions(
                    lead: duration, maxAhead: .max, reversalDistance: fraction, smoothing: duration)
                var window = PrefetchWindow(options: options)
                for (index, start) in [0, 5, 50, 40, 41, 39].enumerated() {
                    let time = Duration(attoseconds: Int128(index))
                    _ = window.update(visible: start..<start + 9, of: 1_000, at: time)
                }
                #expect(window.items.upperBound <= 1_000)
            }
        }
    }

    private static let frameBudget = ExtremeCase("AnimationClock") {
        await MainActor.run {
            for value in ints {
                let clock = AnimationClock(maxFrameChanges: value) { _ in }
                for time in durations { clock.tick(at: time) }
            }
        }
    }
}
