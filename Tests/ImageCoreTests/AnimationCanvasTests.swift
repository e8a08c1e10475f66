import ImageCore
import ImageTesting
import Testing

@Suite("Canvas of an animation")
struct AnimationCanvasTests {
    private static let size = PixelSize(width: 2, height: 2)
    private static let pixel = PixelArea(left: 1, top: 1, width: 1, height: 1)

    private static func frame(
        _ area: PixelArea = PixelArea(size: size), _ disposal: CanvasFrame.Disposal = .keep
    ) -> CanvasFrame { CanvasFrame(area: area, disposal: disposal, isOpaque: true) }

    /// Draws frames, filled with their numbers from 1, up to an index.
    private static func draw(_ frames: [CanvasFrame], upTo last: Int, on canvas: inout AnimationCanvas) {
        canvas.seek(to: last) { frames[$0] }
        for index in canvas.next..<last + 1 {
            canvas.begin(frames[index])
            for y in 0..<frames[index].area.height {
                for byte in canvas.range(ofRow: y, in: frames[index].area) { canvas.pixels[byte] = UInt8(index + 1) }
            }
        }
    }

    @Test(
        "a frame stays, becomes transparent or gives back the pixels under it",
        arguments: [(CanvasFrame.Disposal.keep, UInt8(2)), (.clear, 0), (.restore, 1)])
    func disposal(_ disposal: CanvasFrame.Disposal, expected: UInt8) {
        var canvas = AnimationCanvas(Self.size, bytesPerPixel: 1)
        let last = Self.frame(PixelArea(left: 0, top: 0, width: 1, height: 1))
        Self.draw([Self.frame(), Self.frame(Self.pixel, disposal), last], upTo: 2, on: &canvas)
        #expect(canvas.pixels == [3, 1, 1, expected])
        #expect(canvas.byteCount(drawing: Self.frame(Self.pixel, disposal)) == (disposal == .restore ? 5 : 4))
    }

    @Test("of several frames that give back pixels, each gives back its own")
    func restoring() {
        let pixels = [(0, 0), (1, 0)].map { PixelArea(left: $0.0, top: $0.1, width: 1, height: 1) }
        let frames = [
            Self.frame(), Self.frame(pixels[0]), Self.frame(Self.pixel, .restore), Self.frame(pixels[0], .restore),
            Self.frame(pixels[1]),
        ]
        var canvas = AnimationCanvas(Self.size, bytesPerPixel: 1)
        Self.draw(frames, upTo: 4, on: &canvas)
        #expect(canvas.pixels == [2, 5, 1, 1])
    }

    @Test(
        "drawing goes on, or starts at the last frame that hides those before it",
        arguments: [
            (nil, 1, 0), (nil, 3, 2), (nil, 4, 4), (nil, 5, 2), (0, 1, 1), (1, 1, 2), (3, 1, 0),
        ] as [(Int?, Int, Int)])
    func seeking(drawn: Int?, index: Int, next: Int) {
        let frames = [
            Self.frame(), Self.frame(Self.pixel), Self.frame(), Self.frame(Self.pixel),
            Self.frame(PixelArea(size: Self.size), .restore), Self.frame(Self.pixel),
        ]
        var canvas = AnimationCanvas(Self.size, bytesPerPixel: 1)
        if let drawn { Self.draw(frames, upTo: drawn, on: &canvas) }
        canvas.seek(to: index) { frames[$0] }
        #expect(canvas.next == next)
    }

    @Test("of the first frame, only the available rows are sent, and those above it")
    func rows() throws {
        var canvas = AnimationCanvas(PixelSize(width: 1, height: 4), bytesPerPixel: 1)
        for rowCount in [2, 4] {
            canvas.begin(Self.frame(PixelArea(left: 0, top: 1, width: 1, height: 3)))
            canvas.limit(toRows: 1)
            let sink = CollectingRowSink()
            try canvas.send(to: sink)
            #expect(sink.rows.count == rowCount)
        }
    }
}
