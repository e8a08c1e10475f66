import Foundation
import ImageCore
import ImageDecoding
import Synchronization

@testable import ImageTesting

/// A fake decoder whose images have another color and can be decoded in parts, or whose codec keeps the whole image while it
/// delivers rows.
struct ChangedDecoder: ImageDecoder {
    var color: SourceColor?
    var holdsImage = false

    var format: ImageFormat { .fake }

    func recognizes(_ prefix: Data) -> Bool { true }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        Opened(try FakeDecoder().open(data, limits: limits), self)
    }

    private final class Opened: PartDecodableImage {
        private let image: any OpenedImage
        private let decoder: ChangedDecoder
        private(set) var header: ImageHeader

        init(_ image: any OpenedImage, _ decoder: ChangedDecoder) {
            self.image = image
            self.decoder = decoder
            header = image.header
            header.color = decoder.color ?? header.color
        }

        func decodableSize(covering target: PixelSize) -> PixelSize { image.decodableSize(covering: target) }

        func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
            decoder.holdsImage ? size.area * layout.bytesPerPixel : 0
        }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            try image.decode(frame: index, size: size, layout: layout, preference: preference, into: sink)
        }

        func decode(
            part: PixelArea, layout: PixelLayout, into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            let whole = CollectingRowSink()
            try image.decode(frame: 0, size: header.storedSize, layout: layout, into: whole)
            let pixel = layout.bytesPerPixel
            for row in whole.rows[part.top..<part.top + part.height] {
                try sink.receive(row.span.extracting(part.left * pixel..<(part.left + part.width) * pixel))
            }
        }
    }
}

/// Ignores limits and omits the last row.
struct NoncompliantDecoder: ImageDecoder {
    let format = ImageFormat.fake

    func recognizes(_ prefix: Data) -> Bool { true }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage { Opened() }

    final class Opened: OpenedImage {
        let header = ImageHeader(format: .fake, storedSize: DownsamplingDecoderTests.size)

        func decodableSize(covering target: PixelSize) -> PixelSize { header.storedSize }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            let row = [UInt8](repeating: 0, count: size.width * 4)
            for _ in 1..<size.height { try sink.receive(row.span) }
        }
    }
}

/// Writes the whole image, or sends its rows.
final class WholeImageDecoder: ImageDecoder {
    private let decoder = FakeDecoder()
    private let written = Mutex<Bool?>(nil)

    /// Whether the last image was written as a whole.
    var wasWritten: Bool? { written.withLock { $0 } }

    var format: ImageFormat { .fake }

    func recognizes(_ prefix: Data) -> Bool { decoder.recognizes(prefix) }

    func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
        WholeImage(try decoder.open(data, limits: limits), owner: self)
    }

    private final class WholeImage: OpenedImage {
        private let image: any OpenedImage
        private let owner: WholeImageDecoder

        init(_ image: any OpenedImage, owner: WholeImageDecoder) {
            self.image = image
            self.owner = owner
        }

        var header: ImageHeader { image.header }

        func decodableSize(covering target: PixelSize) -> PixelSize { image.decodableSize(covering: target) }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            let rows = CollectingRowSink()
            try image.decode(frame: index, size: size, layout: layout, preference: preference, into: rows)
            let pixels = rows.pixels
            let isWritten = try sink.receiveImage(byteCount: pixels.count) { $0 = pixels }
            owner.written.withLock { $0 = isWritten }
            if isWritten { return }
            for row in rows.rows { try sink.receive(row.span) }
        }
    }
}

/// Converts nothing, and finds that each image has the colors of Display P3.
struct WideColorConverter: ColorConverter {
    func makeStage(
        from color: SourceColor, layout: PixelLayout, to space: ColorSpace, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? { nil }

    func gamut(of color: SourceColor, layout: PixelLayout) -> ColorSpace? { .displayP3 }
}
