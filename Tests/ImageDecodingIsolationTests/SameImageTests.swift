import Foundation
import GeneratedImages
import ImageCore
import ImageDecoding
import ImageDecodingIsolation
import ImageLoaderKit
import ImageTesting
import Testing

/// What a worker decodes is what this process decodes.
@Suite("Images from workers")
struct SameImageTests {
    private static let requests = [
        DecodingRequest(), DecodingRequest(target: .fit(width: 5, height: 4), color: .automatic),
        DecodingRequest(
            target: ImageTarget(PixelSize(width: 40, height: 9), mode: .fill, upscales: true, preference: .speed),
            color: .displayP3),
        DecodingRequest(frame: 1), DecodingRequest(acceptsTruncated: true),
    ]

    @Test("headers, pixels and failures are those of the decoder", arguments: try GeneratedImage.all())
    func image(image: GeneratedImage) {
        let fixture = IsolatedFixture()
        for data in [image.data, image.data.prefix(image.data.count * 2 / 3), image.data.prefix(9)] {
            #expect(outcome { try fixture.decoders.header(of: data) } == outcome { try fixture.local.header(of: data) })
            for request in Self.requests {
                let isolated = outcome {
                    try fixture.decoders.decode(data, request: request)
                }
                #expect(isolated == outcome { try fixture.local.decode(data, request: request) }, "\(request)")
            }
        }
    }

    @Test(
        "frames are those of the decoder, also if other animations take its worker",
        arguments: try GeneratedImage.all())
    func frames(image: GeneratedImage) throws {
        let fixture = IsolatedFixture()
        let request = DecodingRequest(target: .fit(width: 6, height: 6))
        let expected = try fixture.local.makeFrameReader(of: image.data, request: request)
        let readers = try (0..<6).map { _ in try fixture.decoders.makeFrameReader(of: image.data, request: request) }
        for index in 0...expected.header.frameCount {
            let frame = outcome { try expected.frame(at: index) }
            for reader in readers {
                #expect(outcome { try reader.frame(at: index) } == frame)
            }
        }
    }

    @Test("a reader has the frames of its file at its size, also after another one has used its worker")
    func laterReader() throws {
        let fixture = IsolatedFixture()
        let files = try GeneratedImage.all().map(\.data)
        for (number, side) in [(0, 6), (0, 3), (1, 3)] {
            let request = DecodingRequest(target: .fit(width: side, height: side))
            let expected = try fixture.local.makeFrameReader(of: files[number], request: request).frame(at: 0)
            let reader = try fixture.decoders.makeFrameReader(of: files[number], request: request)
            #expect(try reader.frame(at: 0) == expected)
        }
        #expect(fixture.events.messages.isEmpty, "nothing was tried again")
    }

    @Test("an image has its own pixels after a preview of another one has used its worker")
    func afterPreview() throws {
        let fixture = IsolatedFixture()
        let files = try GeneratedImage.all().map(\.data)
        _ = try fixture.decoders.header(of: files[0])
        let session = try #require(fixture.decoders.makeSession(request: DecodingRequest(), throttle: .unlimited))
        #expect(try session.append(files[1], at: .zero, isCancelled: { false }) != nil)
        #expect(try fixture.decoders.decode(files[0]) == fixture.local.decode(files[0]))
    }

    @Test("an image of exactly the limit of its pixels is decoded")
    func exactLimit() throws {
        let image = try #require(try GeneratedImage.all().first)
        let byteCount = try IsolatedFixture().local.decode(image.data).bitmap.byteCount
        let fixture = IsolatedFixture(limits: DecodingLimits(decodedByteLimit: byteCount))
        let expected = outcome { try fixture.local.decode(image.data) }
        #expect(outcome { try fixture.decoders.decode(image.data) } == expected)
    }

    @Test("limits can be as large as numbers are")
    func largestLimits() throws {
        let image = try #require(try GeneratedImage.all().first { $0.format == .gif })
        let limits = DecodingLimits(
            encodedByteLimit: .max, maxPixels: .max, maxSide: .max, maxFrames: .max, metadataByteLimit: .max,
            decodedByteLimit: .max)
        let fixture = IsolatedFixture(limits: limits)
        #expect(try fixture.decoders.decode(image.data) == fixture.local.decode(image.data))
    }

    @Test("a later frame has no previews")
    func previewOfLaterFrame() throws {
        let image = try #require(try GeneratedImage.all().first { $0.format == .gif })
        let decoders = IsolatedFixture().decoders
        let session = try #require(decoders.makeSession(request: DecodingRequest(frame: 1), throttle: .unlimited))
        #expect(try session.append(image.data, at: .zero, isCancelled: { false }) == nil)
    }

    @Test("previews grow until they show what a preview of all bytes shows", arguments: try GeneratedImage.all())
    func previews(image: GeneratedImage) throws {
        let fixture = IsolatedFixture()
        let isolated = try #require(fixture.decoders.makeSession(request: DecodingRequest(), throttle: .unlimited))
        let local = try #require(fixture.local.makeSession(request: DecodingRequest(), throttle: .unlimited))
        var previews: (isolated: DecodedImage?, local: DecodedImage?)
        for chunk in stride(from: 0, to: image.data.count, by: 200) {
            let bytes = image.data.dropFirst(chunk).prefix(200)
            previews.isolated = try isolated.append(bytes, at: .zero, isCancelled: { false }) ?? previews.isolated
            previews.local = try local.append(bytes, at: .zero, isCancelled: { false }) ?? previews.local
        }
        #expect(previews.isolated == previews.local)
    }

    @Test("limits are those of the decoder")
    func limits() throws {
        let image = try #require(try GeneratedImage.all().first)
        for limits in [
            DecodingLimits(encodedByteLimit: 10), DecodingLimits(maxPixels: 2), DecodingLimits(maxSide: 2),
            DecodingLimits(decodedByteLimit: 20),
        ] {
            let fixture = IsolatedFixture(limits: limits)
            let expected = outcome { try fixture.local.decode(image.data) }
            #expect(outcome { try fixture.decoders.decode(image.data) } == expected)
            let header = outcome { try fixture.local.header(of: image.data) }
            #expect(outcome { try fixture.decoders.header(of: image.data) } == header)
            let limited = IsolatedFixture().decoders.limited(to: limits, memoryByteLimit: 1 << 30)
            #expect(outcome { try limited.decode(image.data) } == expected)
        }
        let small = IsolatedFixture(limits: DecodingLimits(encodedByteLimit: 40)).decoders
        let session = try #require(small.makeSession(request: DecodingRequest(), throttle: .unlimited))
        _ = try session.append(image.data.prefix(40), at: .zero, isCancelled: { false })
        #expect(throws: ImageDecodingError.self) {
            try session.append(Data(count: 1), at: .zero, isCancelled: { false })
        }
    }

    @Test("a preview is new, and comes after the interval and with the share of bytes of its throttle")
    func throttle() throws {
        let size = PixelSize(width: 60, height: 60)
        var random = SeededRandom(seed: 1)
        let noise = (0..<size.area * 4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let encoder = try #require([any ImageEncoder].all.encoder(for: .jpeg))
        let file = try encoder.encode(
            Bitmap(size: size, pixels: noise, isOpaque: true), options: EncodingOptions(isProgressive: true))
        let decoders = IsolatedFixture().decoders
        func previewCount(_ throttle: PreviewThrottle, step: Duration) throws -> Int {
            let session = try #require(decoders.makeSession(request: DecodingRequest(), throttle: throttle))
            let chunks = stride(from: 0, to: file.count, by: 300).map { file.dropFirst($0).prefix(300) }
            // The last chunk is beyond the image.
            let previews = try (chunks + [Data(count: 300)]).enumerated().compactMap { number, bytes in
                try session.append(bytes, at: step * number, isCancelled: { false })
            }
            #expect(zip(previews, previews.dropFirst()).allSatisfy { $0.bitmap != $1.bitmap })
            return previews.count
        }
        let count = try previewCount(.unlimited, step: .zero)
        #expect(count > 2)
        let throttle = PreviewThrottle(interval: .seconds(1), rowShare: 0)
        #expect(try previewCount(throttle, step: .zero) == 1)
        #expect(try previewCount(throttle, step: .seconds(1)) == count)
        #expect(try previewCount(PreviewThrottle(interval: .zero, rowShare: 2), step: .zero) < count)
    }
}
