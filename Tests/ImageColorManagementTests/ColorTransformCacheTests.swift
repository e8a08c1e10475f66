import Foundation
import ImageCore
import Testing

@testable import ImageColorManagement

@Suite("ColorTransformCache")
struct ColorTransformCacheTests {
    /// Returns the number of transforms that were created.
    private func createdCount(_ sources: [ColorTransformCache.Source], in cache: ColorTransformCache) -> Int {
        var count = 0
        for source in sources {
            _ = cache.transform(for: source) {
                count += 1
                return nil
            }
        }
        return count
    }

    private func gamma(_ value: Int) -> ColorTransformCache.Source {
        .calibration(ColorCalibration(transfer: .gamma(Double(value))))
    }

    @Test("creates a transform once for each source, even if the source is ignored")
    func once() {
        let profile = Data(repeating: 7, count: 1000)
        let sources: [ColorTransformCache.Source] = [
            .profile(profile, .rgba8), .profile(profile, .cmyk8), .profile(profile + [1], .rgba8), gamma(1), gamma(2),
        ]
        #expect(createdCount(sources + sources.reversed(), in: ColorTransformCache()) == sources.count)
    }

    @Test("keeps up to eight transforms")
    func bounded() {
        let cache = ColorTransformCache()
        #expect(createdCount((0..<8).map(gamma), in: cache) == 8)
        #expect(createdCount((0..<8).map(gamma), in: cache) == 0)
        #expect(createdCount([gamma(8), gamma(0)], in: cache) == 2)
    }

    @Test("does not cache large profiles")
    func large() {
        let cache = ColorTransformCache()
        let kept = Data(count: 1 << 20)
        #expect(createdCount([.profile(kept, .rgba8), .profile(kept, .rgba8)], in: cache) == 1)
        #expect(createdCount([.profile(kept + [0], .rgba8), .profile(kept + [0], .rgba8)], in: cache) == 2)
    }
}
