import Foundation
import GeneratedImages
import ImageCore
import ImageDecoding
import ImageTesting
import Testing

/// Decodes each prefix of each generated image from exactly its bytes, and from a buffer in which other bytes follow.
@Suite("Prefixes of images")
struct PrefixTests {
    @Test("a prefix shows the same, whatever bytes follow it in memory", arguments: try GeneratedImage.all())
    func isIndependentOfMemory(image: GeneratedImage) throws {
        for count in 0...image.data.count {
            let prefix = image.data.prefix(count)
            let shown = shown(Data(Array(prefix)))
            #expect(self.shown((prefix + Data(repeating: 0xA5, count: 4096)).prefix(count)) == shown, "\(count) bytes")
            #expect(self.shown(image.data.prefix(count)) == shown, "\(count) bytes")
        }
    }

    @Test(
        "a prefix of a file shows at least what a stream shows, and nothing before the stream's header",
        arguments: try GeneratedImage.all())
    func isLikeAStream(image: GeneratedImage) throws {
        guard let decoder = Decoders.decoder(of: image.format) as? any IncrementalImageDecoder else { return }
        let header = try decoder.open(image.data, limits: .default).header
        if header.frameCount > 1 { return }  // Streams of animations have no previews.
        let size = header.storedSize
        for count in 1...image.data.count {
            let prefix = image.data.prefix(count)
            let file = CollectingRowSink(), streamed = CollectingRowSink()
            try? decoder.open(prefix, limits: .default).decode(frame: 0, size: size, layout: .rgba8, into: file)
            let stream = decoder.makeIncrementalImage(limits: .default)
            try? stream.append(prefix)
            if stream.header == nil {
                #expect(file.rows.isEmpty, "\(count) of \(image.data.count) bytes")
                continue
            }
            try? stream.start(size: size, layout: .rgba8)
            try? stream.decodePreview(into: streamed)
            // A later pass of a file may be shown in parts, and that of a stream not yet.
            guard stream.extent.passes == 0 else { continue }
            let isShown = file.rows.starts(with: streamed.rows)
            #expect(isShown, "\(count) of \(image.data.count) bytes, \(streamed.rows.count) rows")
        }
    }

    /// Returns what `acceptsTruncated` accepts of a file.
    private func shown(_ data: Data) -> Result<Bitmap, ImageDecodingError> {
        let request = DecodingRequest(acceptsTruncated: true)
        return Result { () throws(ImageDecodingError) in
            try DownsamplingDecoder(decoders: Decoders.all).decode(data, request: request).bitmap
        }
    }
}
