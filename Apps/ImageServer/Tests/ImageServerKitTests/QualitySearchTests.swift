import Foundation
import Testing

@testable import ImageServerKit

@Suite struct QualitySearchTests {
    /// Searches among files with sizes by quality. Returns the qualities that were tried, and the best one.
    private func search(_ limit: Int, from first: Int, _ size: (Int) -> Int) -> (tried: [Int], best: Int) {
        var search = QualitySearch(limit: limit)
        var (tried, best) = ([first], first)
        search.add(size(first), quality: first)
        while let next = search.next {
            tried.append(next)
            if search.add(size(next), quality: next) { best = next }
        }
        return (tried, best)
    }

    private static let sizes: [@Sendable (Int) -> Int] = [
        { 1_000 * $0 }, { $0 * $0 }, { Int(1_000 * exp(Double($0) / 20)) }, { $0 < 40 ? 500 + $0 : 100_000 + $0 },
        { 10_000_000 / (101 - $0) }, { 1_000 + $0 },
    ]

    @Test("finds a file within the limit and close to it in at most eight encodes", arguments: sizes.indices)
    func search(index: Int) {
        let size = Self.sizes[index]
        for first in [100, 80, 30, 2] {
            for share in stride(from: 0.02, through: 1.2, by: 0.02) {
                let limit = max(1, Int(Double(size(first)) * share))
                let (tried, best) = search(limit, from: first, size)
                #expect(tried.count <= 8 && Set(tried).count == tried.count && tried.allSatisfy { 1...first ~= $0 })
                if size(1) > limit {
                    #expect(best == 1)
                } else {
                    #expect(size(best) <= limit)
                    let ideal = (1...first).last { size($0) <= limit } ?? 1
                    #expect(best == ideal || size(best) * 100 >= limit * 95)
                }
            }
        }
    }

    @Test("a file within the limit is not encoded again, and an impossible limit takes few encodes")
    func ends() {
        #expect(search(1_000, from: 80) { _ in 1_000 }.tried == [80])
        #expect(search(1, from: 80) { $0 * 1_000 }.tried == [80, 16, 1])
    }
}
