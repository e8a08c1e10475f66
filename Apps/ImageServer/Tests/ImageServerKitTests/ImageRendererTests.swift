import Foundation
import ImageCodecJPEG
import ImageCodecPNG
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

@testable import ImageServerKit

@Suite struct ImageRendererTests {
    private func header(_ data: Data) throws -> ImageHeader { try SampleImages.decoder().header(of: data) }

    private func failure(_ source: Data, _ text: String, _ limits: RenderingLimits) -> RenderingFailure? {
        #expect(throws: RenderingFailure.self) { try renderImage(source, text, limits: limits) }
    }

    @Test("encodes each format at the size of the plan", arguments: ["jpg", "png", "webp", "gif"])
    func formats(name: String) throws {
        let image = try renderImage(try SampleImages.jpeg(), "rs:fill:20:20/f:\(name)")
        let header = try header(image.data)
        #expect(header.size == PixelSize(width: 20, height: 20))
        #expect(header.format == image.format)
        #expect(image.size == header.size)
    }

    @Test("applies every step, in the order of imgproxy")
    func steps() throws {
        let text = "c:40:40:nowe/rot:90/rs:force:30:10/bl:1/pix:2/pd:2/bg:ff0000/f:png"
        let image = try renderImage(try SampleImages.jpeg(), text)
        let bitmap = try SampleImages.decoder().decode(image.data).bitmap
        #expect(bitmap.size == PixelSize(width: 34, height: 14))
        #expect(Array(bitmap.pixels.prefix(4)) == [255, 0, 0, 255])
        #expect(bitmap.isOpaque)
    }

    @Test("results are in sRGB without a profile, and in Display P3 with scp:0", arguments: ["jpg", "png", "webp"])
    func colorProfile(name: String) throws {
        let bitmap = SampleImages.bitmap(80, 40, alpha: 128)
        let wide = Bitmap(size: bitmap.size, pixels: bitmap.pixels, isOpaque: false, colorSpace: .displayP3)
        let source = try PNGEncoder().encode(wide, options: EncodingOptions())
        let steps = "c:40:40:nowe/rot:90/rs:force:30:10/bl:1/pix:2/pd:2/bg:ff0000/f:\(name)"
        let narrow = try renderImage(source, steps).data
        #expect(try header(narrow).colorProfile == nil)
        let kept = try renderImage(source, "\(steps)/scp:0").data
        #expect(try header(kept).colorProfile == ColorSpace.displayP3.profile)
        #expect(try header(renderImage(SampleImages.png(), "\(steps)/scp:0").data).colorProfile == nil)
        guard name == "png" else { return }
        // The background is in sRGB.
        let shown = try SampleImages.decoder().decode(kept).bitmap
        #expect(zip(shown.pixels.prefix(4), [255, 0, 0, 255]).allSatisfy { abs(Int($0) - $1) <= 2 })
    }

    @Test("decodes for speed only if the result is lossy, with a quality of 85 or below")
    func decodingPreference() throws {
        let source = try SampleImages.jpeg(640, 480)
        func decoded(_ preference: DecodingPreference) throws -> Bitmap {
            let size = PixelSize(width: 100, height: 75)
            let target = ImageTarget(size, mode: .fill, upscales: true, preference: preference)
            return try SampleImages.decoder().decode(source, request: DecodingRequest(target: target)).bitmap
        }
        func encoded(_ bitmap: Bitmap, quality: Double) throws -> Data {
            try JPEGEncoder().encode(bitmap, options: EncodingOptions(quality: quality))
        }
        let (fast, best) = (try decoded(.speed), try decoded(.quality))
        #expect(fast != best)
        #expect(try renderImage(source, "w:100/q:85/f:jpg").data == encoded(fast, quality: 0.85))
        #expect(try renderImage(source, "w:100/q:86/f:jpg").data == encoded(best, quality: 0.86))
        let png = try renderImage(source, "w:100/q:80/f:png").data
        #expect(try SampleImages.decoder().decode(png).bitmap == best)
    }

    @Test("puts white behind transparent pixels of formats without transparency")
    func flattening() throws {
        let image = try renderImage(try SampleImages.png(8, 8, alpha: 0), "f:jpg")
        let bitmap = try SampleImages.decoder().decode(image.data).bitmap
        #expect(bitmap.pixels.allSatisfy { $0 > 250 })
    }

    @Test("chooses the format by Accept and by the source")
    func negotiation() throws {
        #expect(try renderImage(try SampleImages.jpeg(), "w:8").format == .jpeg)
        #expect(try renderImage(try SampleImages.png(), "w:8").format == .png)
        #expect(try renderImage(try SampleImages.png(), "w:8", accept: "image/webp").format == .webP)
        #expect(try renderImage(try SampleImages.png(), "w:8/f:gif", accept: "image/webp").format == .gif)
    }

    @Test("keeps the frames of an animation in formats that have them, up to the limit")
    func animations() throws {
        let source = try SampleImages.gif(frames: 4)
        for name in OutputFormats.all.filter(\.isAnimated).flatMap(\.extensions) {
            let image = try renderImage(source, "w:10/f:\(name)")
            let header = try header(image.data)
            #expect(header.frameCount == 4 && header.loopCount == 3 && image.losses.isEmpty)
            #expect(header.frameDelays == Array(repeating: .milliseconds(70), count: 4))
            #expect(header.size == PixelSize(width: 10, height: 5))
        }
        let png = try renderImage(source, "f:png").data
        #expect(try header(try renderImage(png, "w:10").data).frameCount == 4)
        #expect(try renderImage(png, "w:10", accept: "image/webp").format == .webP)
        #expect(try header(try renderImage(source, "f:jpg").data).frameCount == 1)
        #expect(try header(try renderImage(source, "f:gif", limits: RenderingLimits(frames: 2)).data).frameCount == 2)
    }

    #if AVIF
        @Test("the smaller one of AVIF and WebP is sent of an animation, up to a limit, and WebP above")
        func comparison() throws {
            let rules = FormatRules(automatic: [.avif, .webP])
            func render(_ source: Data, _ text: String = "rt:fit", comparedPixels: Int) throws -> RenderedImage {
                try renderImage(
                    source, text, accept: "image/avif,image/webp",
                    limits: RenderingLimits(comparedPixels: comparedPixels), rules: rules)
            }
            let frames = (0..<4).map {
                AnimationFrame(bitmap: SampleImages.bitmap(120, 90, shade: $0 * 3), delay: .milliseconds(70))
            }
            let large = try PNGEncoder().encode(frames, loopCount: 3, options: EncodingOptions())
            let small = try SampleImages.gif(frames: 4)
            for (source, area, smaller) in [(large, 43_200, ImageFormat.avif), (small, 800, .webP)] {
                let avif = try render(source, "f:avif", comparedPixels: 0)
                let webP = try render(source, comparedPixels: area - 1)
                #expect(avif.format == .avif && webP.format == .webP)
                let image = try render(source, comparedPixels: area)
                #expect(image.format == smaller && image.data == (smaller == .avif ? avif : webP).data)
                #expect(image.data.count == min(avif.data.count, webP.data.count))
                #expect(try image.losses.isEmpty && header(image.data).frameCount == 4)
            }
        }
    #endif

    @Test("the limits of a URL are in place of those of the server")
    func limitsOfURLs() throws {
        let source = try SampleImages.gif(frames: 4)
        func render(_ text: String, _ limits: RenderingLimits = RenderingLimits()) throws -> RenderedImage {
            var allowed = ProcessingOptions()
            allowed.limits = ProcessingOptions.Limits()
            return try renderImage(source, "\(text)/f:gif", limits: limits, standard: allowed)
        }
        let strict = RenderingLimits(sourcePixels: 100, framePixels: 100, frames: 1, resultSide: 5)
        for text in ["w:20", "msr:0.000199"] {
            #expect(throws: RenderingFailure.self) { try render(text, RenderingLimits(sourcePixels: 100)) }
        }
        #expect(try render("msr:0.0002/mafr:0/maf:3/mrd:20", strict).size == PixelSize(width: 20, height: 10))
        #expect(try render("maf:3").leftOutFrames == 1 && render("mrd:10").size.width == 10)
        for text in ["msr:0.000199", "msfs:10", "mafr:0.000199"] {
            #expect(throws: RenderingFailure.self, "\(text)") { try render(text) }
        }
        #expect(try render("mafr:0.000199/maf:1").leftOutFrames == 3, "a single frame is no animation")
    }

    @Test("leaves out frames beyond the limit of decoded pixels, and says how many")
    func animationPixels() throws {
        let source = try SampleImages.gif(frames: 5)
        for (pixels, kept) in [(1, 1), (599, 2), (600, 3), (1_000, 5)] {
            let image = try renderImage(source, "w:10/f:gif", limits: RenderingLimits(animationPixels: pixels))
            #expect(try header(image.data).frameCount == kept)
            #expect(image.leftOutFrames == 5 - kept)
        }
        #expect(try renderImage(source, "f:jpg", limits: RenderingLimits(animationPixels: 1)).leftOutFrames == 0)
    }

    @Test("lowers the quality until the file has at most max_bytes")
    func maxBytes() throws {
        let source = try SampleImages.jpeg(200, 200)
        let full = try renderImage(source, "q:95/f:jpg").data.count
        let limit = full / 2
        let smaller = try renderImage(source, "q:95/f:jpg/mb:\(limit)").data.count
        #expect(smaller <= limit)
        #expect(smaller > limit * 3 / 4)
        #expect(try renderImage(source, "q:95/f:jpg/mb:\(full)").data.count == full)
        let smallest = try renderImage(source, "q:95/f:jpg/mb:1").data.count
        #expect(smallest == (try renderImage(source, "q:1/f:jpg").data.count))
    }

    @Test("uses the quality of the URL, then of the format")
    func quality() throws {
        let source = try SampleImages.jpeg(200, 200)
        let low = try renderImage(source, "q:10/f:jpg").data.count
        #expect(low < (try renderImage(source, "f:jpg").data.count))
        #expect(low == (try renderImage(source, "fq:jpg:10:webp:90/f:jpg").data.count))
    }

    @Test("returns sources unchanged if their format is not to be processed")
    func unprocessed() throws {
        let source = try SampleImages.png()
        #expect(try renderImage(source, "skp:png/w:8").data == source)
        #expect(try renderImage(source, "skp:png/w:8/f:jpg").format == .jpeg)
    }

    @Test("refuses sources and results beyond the limits")
    func limits() throws {
        let source = try SampleImages.jpeg()
        let pixels = failure(source, "w:1", RenderingLimits(sourcePixels: 100))
        #expect(pixels == .decoding(.limitExceeded(.pixels, value: 3_200, allowed: 100)))
        let bytes = failure(source, "w:1", RenderingLimits(sourceBytes: 9))
        #expect(bytes == .decoding(.limitExceeded(.encodedBytes, value: source.count, allowed: 9)))
        guard case .tooManyBytes = failure(source, "f:png", RenderingLimits(resultBytes: 100)) else {
            Issue.record("the result was not refused")
            return
        }
    }

    @Test("makes results smaller that would be too large")
    func tooLarge() throws {
        let source = try SampleImages.jpeg()
        let small = try renderImage(source, "w:800/el:1", limits: RenderingLimits(resultPixels: 1_000))
        #expect(small.size == PixelSize(width: 45, height: 22))
        #expect(try header(small.data).size == small.size)
        let padded = try renderImage(source, "pd:500", limits: RenderingLimits(resultSide: 500))
        #expect(padded.size == PixelSize(width: 499, height: 481))
        let animation = try renderImage(
            SampleImages.gif(frames: 5), "f:gif", limits: RenderingLimits(resultPixels: 900))
        #expect(try animation.size.area * 5 <= 900 && header(animation.data).frameCount == 5)
        let tall = try renderImage(
            SampleImages.png(1, 8, alpha: 255), "h:20000/el:1/f:webp", limits: RenderingLimits(resultSide: 65_535))
        #expect(tall.size.height == 16_383)
    }

    @Test("encodes progressive JPEG, interlaced PNG and WebP of more effort if the settings say so")
    func encoders() throws {
        func data(_ text: String, _ change: (inout EncoderSettings) -> Void) throws -> Data {
            try renderImage(SampleImages.jpeg(), text) { change(&$0.encoders) }.data
        }
        let progressive = Data([0xFF, 0xC2])
        #expect(try data("f:jpg") { $0.isProgressiveJPEG = true }.firstRange(of: progressive) != nil)
        #expect(try data("f:jpg") { _ in }.firstRange(of: progressive) == nil)
        // The last byte of IHDR is the interlace method.
        #expect(try data("f:png") { $0.isInterlacedPNG = true }[28] == 1)
        #expect(try data("f:png") { $0.pngColorCount = 16 }[24...25] == Data([4, 3]))
        #expect(try data("f:png") { _ in }[28] == 0)
        #expect(try data("f:webp") { $0.webpEffort = 0 } != data("f:webp") { $0.webpEffort = 6 })
    }

    @Test("enforces formats, and keeps preferred ones")
    func formatRules() throws {
        func format(_ source: Data, _ text: String, _ accept: String?, _ rules: FormatRules) throws -> ImageFormat {
            try renderImage(source, text, accept: accept, rules: rules).format
        }
        let jpeg = try SampleImages.jpeg()
        let enforced = FormatRules(automatic: [], enforced: [.webP])
        #expect(try format(jpeg, "w:8/f:png", "image/webp", enforced) == .webP)
        #expect(try format(jpeg, "w:8/f:png", nil, enforced) == .png)
        #expect(try format(jpeg, "w:8", "image/webp", FormatRules(automatic: [])) == .jpeg)
        let preferred = FormatRules(automatic: [], preferred: [.webP, .png])
        #expect(try format(jpeg, "w:8", nil, preferred) == .webP)
        #expect(try format(SampleImages.png(), "w:8", nil, preferred) == .png)
        #expect(try format(jpeg, "w:8/pd:5", nil, FormatRules(preferred: [.jpeg, .png])) == .jpeg)
        let webp = try renderImage(jpeg, "w:8/f:webp").data
        #expect(try format(webp, "w:8", nil, FormatRules()) == .jpeg)
        #expect(try format(webp, "w:8/pd:5", nil, FormatRules()) == .png)
        #expect(try format(webp, "w:8/pd:5/bg:fff", nil, FormatRules()) == .jpeg)
    }

    @Test("fails for bytes that are no image")
    func noImage() {
        #expect(failure(Data("<html/>".utf8), "w:1", RenderingLimits()) == .decoding(.unknownFormat))
    }

    @Test("stops when it is cancelled")
    func cancellation() throws {
        let renderer = ImageRenderer(
            decoder: SampleImages.decoder(), limits: RenderingLimits(), clock: ManualClock())
        let source = try SampleImages.jpeg()
        #expect(throws: RenderingFailure.cancelled) {
            try renderer.render(source, ProcessingOptions(), accepted: AcceptedFormats(accept: nil)) { true }
        }
    }
}
