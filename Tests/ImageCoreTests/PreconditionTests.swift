import Foundation
import ImageCore
import Testing

@Suite("Values that are no quality and no size")
struct PreconditionTests {
    @Test("a quality of 85 for 85% traps, and the message says what a quality is")
    func quality() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = EncodingOptions(quality: 85)
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("a quality is from 0 to 1"))
        await #expect(processExitsWith: .failure) { _ = EncodingOptions(quality: .nan) }
        await #expect(processExitsWith: .failure) {
            var options = EncodingOptions()
            options.quality = -0.1
        }
    }

    @Test("a target with a side below 1 traps")
    func target() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ImageTarget.fit(PixelSize(width: 20, height: 0))
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("at least 1 pixel, not 20x0"))
        await #expect(processExitsWith: .failure) { _ = ImageTarget.fill(width: -5, height: 20) }
        await #expect(processExitsWith: .failure) {
            var target = ImageTarget.fit(width: 20)
            target.size.height = 0
        }
    }
}
