import ImageCodecGIF
import ImageCodecJPEG
import ImageCodecPNG
import ImageCodecWebP
import ImageCore
import ImageTesting
import Testing

@testable import FeedOrigin

@Suite("Number marks")
struct NumberMarkTests {
    @Test("the number can be read from each kind of encoded image", arguments: 1...20)
    func readBack(id: Int) throws {
        var recipe = PhotoFeed.recipe(id).thumbnail(120)
        recipe.isNumbered = true
        #expect(NumberMark.number(in: try decoded(renderer.render(recipe))) == id)
    }

    @Test("each number can be read back", arguments: [0, 1, 2, 999, 1_000, 4_095])
    func numbers(number: Int) {
        #expect(NumberMark.number(in: NumberMark.mark(number, on: gray(64, 48))) == number)
        #expect(NumberMark.number(in: NumberMark.mark(number, on: gray(31, 77))) == number)
    }

    @Test("an image without a mark has no number", arguments: 1...20)
    func none(id: Int) throws {
        #expect(NumberMark.number(in: try decoded(renderer.render(PhotoFeed.recipe(id).thumbnail(120)))) == nil)
        #expect(NumberMark.number(in: gray(40, 40)) == nil)
    }

    @Test("all URLs of a numbered feed request a number")
    func urls() {
        let photo = PhotoFeed(count: 1, isNumbered: true).photo(1, origin: "http://a")
        #expect(photo.url.contains("&numbered=1") && photo.thumbnailUrl.contains("&numbered=1"))
    }

    private func decoded(_ image: RenderedImage) throws -> Bitmap {
        let decoders: [any ImageDecoder] = [JPEGDecoder(), PNGDecoder(), WebPDecoder(), GIFDecoder()]
        let data = Data(image.bytes)
        let decoder = try #require(decoders.first { $0.recognizes(data) })
        let opened = try decoder.open(data, limits: .default)
        let sink = CollectingRowSink()
        try opened.decode(frame: 0, size: opened.header.storedSize, layout: .rgba8, into: sink)
        return Bitmap(size: opened.header.storedSize, pixels: sink.pixels, isOpaque: false)
    }

    private func gray(_ width: Int, _ height: Int) -> Bitmap {
        Bitmap(
            size: PixelSize(width: width, height: height), pixels: Array(repeating: 128, count: width * height * 4),
            isOpaque: false)
    }
}
