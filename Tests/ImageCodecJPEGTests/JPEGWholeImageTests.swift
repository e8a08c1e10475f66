import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

@Suite("JPEG in a sink that receives whole images")
struct JPEGWholeImageTests {
    private func write(
        _ file: Data, denominator: Int = 1, to sink: ImageSink
    ) throws(DecodingFailure) {
        let image = try JPEGDecoder().open(file, limits: .default)
        try image.decode(frame: 0, size: landscapeSize(denominator), layout: .rgba8, into: sink)
    }

    @Test("an image is written instead of sending its rows", arguments: [false, true], [1, 2, 8])
    func wholeImage(progressive: Bool, denominator: Int) throws {
        let file = try landscapeFile(progressive: progressive)
        let sink = ImageSink()
        try write(file, denominator: denominator, to: sink)
        #expect(sink.image == (try rows(of: file, denominator: denominator).rows.flatMap { $0 }))
        #expect(sink.rowCount == 0)
    }

    @Test("a truncated image is discarded", arguments: [false, true])
    func truncated(progressive: Bool) throws {
        let file = try landscapeFile(progressive: progressive)
        let sink = ImageSink()
        #expect(throws: DecodingFailure.truncated(.jpeg)) {
            try write(file.prefix(file.count / 2), to: sink)
        }
        #expect(sink.image == nil)
        #expect(sink.rowCount == 0)
    }

    @Test("writing stops after cancellation")
    func cancellation() throws {
        let file = try landscapeFile(progressive: false)
        let sink = ImageSink(checksBeforeCancellation: 3)
        #expect(throws: DecodingFailure.cancelled) { try write(file, to: sink) }
        #expect(sink.image == nil)
    }
}

/// Receives a whole image, unless it cancels after a number of checks.
private final class ImageSink: PixelRowSink {
    private(set) var image: [UInt8]?
    private(set) var rowCount = 0
    private var remainingChecks: Int

    init(checksBeforeCancellation: Int = .max) { remainingChecks = checksBeforeCancellation }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) { rowCount += 1 }

    func receiveImage(
        byteCount: Int, write: (inout [UInt8]) throws(DecodingFailure) -> Void
    ) throws(DecodingFailure) -> Bool {
        var image = [UInt8](repeating: 1, count: byteCount)
        try write(&image)
        self.image = image
        return true
    }

    func checkCancellation() throws(DecodingFailure) {
        if remainingChecks == 0 { throw .cancelled }
        remainingChecks -= 1
    }
}
