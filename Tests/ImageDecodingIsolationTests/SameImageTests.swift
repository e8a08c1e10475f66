import Foundation
import GeneratedImages
import ImageCore
import ImageDecoding
import ImageDecodingIsolation
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
            #expect(
                outcome { try fixture.decoders.decode(image.data) }
                    == outcome { try fixture.local.decode(image.data) })
        }
    }
}
