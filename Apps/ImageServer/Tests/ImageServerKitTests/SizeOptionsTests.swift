import Foundation
import ImageCodecPNG
import ImageCore
import ImageTesting
import Testing

@testable import ImageServerKit

@Suite struct SizeOptionsTests {
    /// Returns a path with options of sizes and areas, from their least to more than a result can have.
    private static func options(_ random: inout SeededRandom) -> String {
        func one(_ texts: String...) -> String { texts.randomElement(using: &random) ?? "" }
        func side() -> String { one("0", "1", "7", "100", "1000", "1000000") }
        func factor() -> String { one("0.001", "0.5", "1", "1", "3", "1000") }
        func gravity() -> String { one("ce", "no", "soea:3:0.5", "fp:0.2:0.9", "we:-2000:1") }
        func flag() -> String { one("0", "0", "1") }
        let always = "rs:\(one("fit", "fill", "fill-down", "force", "auto")):\(side()):\(side()):\(flag())"
        let others = [
            "mw:\(side())", "mh:\(side())", "mw:9000", "mh:70000", "z:\(factor()):\(factor())", "dpr:\(factor())",
            "ex:1:\(gravity())", "exar:1:\(gravity())", "g:\(gravity())",
            "c:\(one("0", "0.5", "1", "10", "99999")):\(one("0", "0.01", "3", "99999")):\(gravity())",
            "pd:\(side()):\(side())", "rot:\(one("90", "180", "270"))", "ar:0", "fl:1:1",
        ]
        return ([always] + others.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }).joined(separator: "/")
    }

    @Test("gives a result in the size of its limits, or a failure of the client's", arguments: 0..<8)
    func combinations(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var limits = RenderingLimits()
        // More than the longest side that can be resized to.
        (limits.resultPixels, limits.resultSide) = (100_000, 500)
        let sources = try [SampleImages.jpeg(), SampleImages.png(1, 300), SampleImages.png(300, 1)]
        for _ in 0..<12 {
            let text = Self.options(&random)
            for source in sources {
                do {
                    let image = try renderImage(source, "\(text)/f:png", limits: limits)
                    #expect(max(image.size.width, image.size.height) <= 500, "\(text)")
                    #expect(try SampleImages.decoder().header(of: image.data).size == image.size, "\(text)")
                } catch {
                    #expect(ServiceFailure(error).status < 500, "\(text): \(error)")
                }
            }
        }
    }

    @Test("resizes no side beyond the limit of decoders before it is cropped")
    func uncropped() throws {
        let image = try renderImage(SampleImages.jpeg(300, 200), "rs:force:1:1000/mw:9000")
        #expect(image.size == PixelSize(width: 1, height: 7))
    }
}
