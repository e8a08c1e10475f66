import Foundation
import ImageCore
import ImageTesting
import TestProfiles
import Testing

@testable import ImageColorManagement

@Suite("Kept colour transforms")
struct ColorTransformCacheTests {
    /// Counts how often a transform had to be made.
    private func made(_ sources: [ColorTransformCache.Source], in cache: ColorTransformCache) -> Int {
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

    @Test("a transform is made once for one source, also when there is nothing to transform")
    func once() {
        let profile = Data(repeating: 7, count: 1000)
        let sources: [ColorTransformCache.Source] = [
            .profile(profile, .rgba8), .profile(profile, .cmyk8), .profile(profile + [1], .rgba8), gamma(1), gamma(2),
        ]
        #expect(made(sources + sources.reversed(), in: ColorTransformCache()) == sources.count)
    }

    @Test("the one that was not used for longest goes when there are too many")
    func bounded() {
        let cache = ColorTransformCache()
        let most = ColorTransformCache.mostEntries
        #expect(made((0..<most).map(gamma), in: cache) == most)
        #expect(made([gamma(0), gamma(most)], in: cache) == 1)
        #expect(made([gamma(0)], in: cache) == 0)
        #expect(made([gamma(1)], in: cache) == 1)
    }

    @Test("large profiles are not kept")
    func large() {
        let cache = ColorTransformCache()
        let kept = Data(count: ColorTransformCache.mostProfileBytes)
        #expect(made([.profile(kept, .rgba8), .profile(kept, .rgba8)], in: cache) == 1)
        #expect(made([.profile(kept + [0], .rgba8), .profile(kept + [0], .rgba8)], in: cache) == 2)
    }

    @Test("one transform may be used by many at once")
    func concurrency() async throws {
        let converter = LittleCMSColorConverter()
        let profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: 1.8)
        let row = (0..<4000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }
        let convert: @Sendable () throws -> [UInt8] = {
            let sink = CollectingRowSink()
            let stage = converter.makeStage(profile: profile, layout: .rgba8, width: 1000, next: sink)
            for _ in 0..<20 { try stage?.receive(row.span) }
            return sink.pixels
        }
        let expected = try convert()
        #expect(expected.count == 20 * 4000)
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 { group.addTask { try convert() } }
            for try await pixels in group { #expect(pixels == expected) }
        }
    }
}
