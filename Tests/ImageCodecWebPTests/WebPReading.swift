import Foundation
import ImageCodecWebP
import ImageCore
import ImageTesting

enum WebPReading {
    static func open(_ data: Data, limits: DecodingLimits = .default) throws(DecodingFailure) -> any OpenedImage {
        try WebPDecoder().open(data, limits: limits)
    }

    /// Returns the decoded rows, and the error that ended decoding.
    static func rows(_ data: Data, frame: Int = 0) throws -> (rows: [[UInt8]], failure: DecodingFailure?) {
        let sink = CollectingRowSink()
        do throws(DecodingFailure) {
            let image = try open(data)
            try image.decode(frame: frame, size: image.header.storedSize, layout: .rgba8, into: sink)
            return (sink.rows, nil)
        } catch {
            return (sink.rows, error)
        }
    }

    static func pixels(
        _ image: any OpenedImage, frame: Int = 0, size: PixelSize? = nil
    ) throws(DecodingFailure) -> [UInt8] {
        let sink = CollectingRowSink()
        try image.decode(frame: frame, size: size ?? image.header.storedSize, layout: .rgba8, into: sink)
        return sink.pixels
    }
}
