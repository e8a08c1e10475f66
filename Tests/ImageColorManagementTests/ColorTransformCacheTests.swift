import Foundation
import ImageCore
import ImageTesting
import TestProfiles
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

    @Test("evicts the least recently used transform")
    func bounded() {
        let cache = ColorTransformCache()
        let capacity = ColorTransformCache.maximumEntryCount
        #expect(createdCount((0..<capacity).map(gamma), in: cache) == capacity)
        #expect(createdCount([gamma(0), gamma(capacity)], in: cache) == 1)
        #expect(createdCount([gamma(0)], in: cache) == 0)
        #expect(createdCount([gamma(1)], in: cache) == 1)
    }

    @Test("does not cache large profiles")
    func large() {
        let cache = ColorTransformCache()
        let kept = Data(count: ColorTransformCache.maximumProfileByteCount)
        #expect(createdCount([.profile(kept, .rgba8), .profile(kept, .rgba8)], in: cache) == 1)
        #expect(createdCount([.profile(kept + [0], .rgba8), .profile(kept + [0], .rgba8)], in: cache) == 2)
    }

    @Test("a transform can be used concurrently")
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
