#if AVIF
    import Foundation
    import ImageCodecAVIF
    import ImageCodecGIF
    import ImageCodecJXL
    import ImageCore
    import ImageDecoding
    import ImageLoaderKit
    import Testing

    @testable import ImageServerKit

    @Suite("Codecs in a process of their own") struct CodecProcessTests {
        private static let settings = EncoderSettings()
        private static let encoder = ProcessEncoder(
            base: AVIFEncoder(effort: 10 - settings.avifSpeed), settings: settings, smallArea: 0)
        private static let decoder = ProcessDecoder(base: AVIFDecoder(), smallArea: 0)

        private static func outcome(
            _ decoder: any ImageDecoder, _ file: Data, _ target: ImageTarget? = nil, frame: Int = 0,
            limits: DecodingLimits = .default
        ) -> Result<DecodedImage, ImageDecodingError> {
            Result { () throws(ImageDecodingError) in
                try DownsamplingDecoder(decoders: [decoder], limits: limits)
                    .decode(file, request: DecodingRequest(target: target, frame: frame))
            }
        }

        @Test("a file is the same as without a process", arguments: [0.4, 0.95], [true, false])
        func encoding(quality: Double, isLossless: Bool) throws {
            let bitmap = SampleImages.bitmap(90, 70)
            let options = EncodingOptions(quality: quality, isLossless: isLossless)
            let file = try Self.encoder.encode(bitmap, options: options)
            #expect(file == (try Self.encoder.base.encode(bitmap, options: options)))
        }

        #if JXL
            @Test("a progressive file is the same as without a process")
            func progressive() throws {
                let base = JXLEncoder(effort: Self.settings.jxlEffort)
                let bitmap = SampleImages.bitmap(90, 70)
                let options = EncodingOptions(isLossless: true, isProgressive: true)
                let file = try ProcessEncoder(base: base, settings: Self.settings, smallArea: 0)
                    .encode(bitmap, options: options)
                #expect(file == (try base.encode(bitmap, options: options)))
            }
        #endif

        @Test(
            "an image is the same as without a process",
            arguments: [nil, ImageTarget(PixelSize(width: 30, height: 30))])
        func decoding(target: ImageTarget?) throws {
            let file = try Self.encoder.base.encode(SampleImages.bitmap(90, 70), options: EncodingOptions())
            let image = try Self.outcome(Self.decoder, file, target).get()
            #expect(image.bitmap == (try Self.outcome(Self.decoder.base, file, target).get().bitmap))
        }

        @Test(
            "has more memory than the server for an image of the largest size",
            arguments: [ImageFormat.avif, .jpegXL].filter { OutputFormats.output(for: $0) != nil })
        func memory(format: ImageFormat) throws {
            let output = try #require(OutputFormats.output(for: format))
            let base = try #require([any ImageDecoder].all.first { $0.format == format })
            // dav1d rounds the sides up to 128: that needs more than the 10 bytes a pixel of the server.
            let bitmap = SampleImages.bitmap(66, 66)
            let file = try output.encoder.encode(bitmap, options: EncodingOptions(isLossless: true))
            let area = bitmap.size.area
            let limits = DecodingLimits(maxPixels: area, decodedByteLimit: area * 10)
            #expect(throws: ImageDecodingError.self) { try Self.outcome(base, file, limits: limits).get() }
            let decoder = ProcessDecoder(base: base, smallArea: 0)
            #expect(try Self.outcome(decoder, file, limits: limits).get().bitmap == bitmap)
        }

        @Test("of an animation of a large area, there is only the first frame")
        func largeAnimation() throws {
            let file = try SampleImages.gif(frames: 2)
            let frames = [0, 1].map { Self.outcome(GIFDecoder(), file, frame: $0) }
            #expect(frames[0] != frames[1])
            let animation = ProcessDecoder(base: GIFDecoder(), smallArea: 0, animationArea: 200)
            #expect([0, 1].map { Self.outcome(animation, file, frame: $0) } == frames)
            let large = ProcessDecoder(base: GIFDecoder(), smallArea: 0, animationArea: 199)
            #expect(Self.outcome(large, file, frame: 0) == frames[0])
            #expect(Self.outcome(large, file, frame: 1) == .failure(.noSuchFrame(1, frameCount: 1)))
        }

        @Test("a truncated or damaged file fails as without a process", arguments: [0.5, 0.7, 0.9, 1])
        func damage(part: Double) throws {
            var file = try Self.encoder.base.encode(SampleImages.bitmap(90, 70), options: EncodingOptions())
            file = file.prefix(Int(Double(file.count) * part))
            for index in file.indices.suffix(40) { file[index] ^= 0x55 }
            #expect(Self.outcome(Self.decoder, file) == Self.outcome(Self.decoder.base, file))
        }

        @Test("a cancelled encoding ends its process, which would take many minutes", .timeLimit(.minutes(1)))
        func cancellation() throws {
            var slow = EncoderSettings()
            slow.avifSpeed = 0
            let size = PixelSize(width: 1500, height: 1500)
            let job = EncodingJob(
                format: "avif", width: size.width, height: size.height, isOpaque: true, colorSpace: "srgb",
                quality: 0.9, isLossless: true, isProgressive: false, settings: slow)
            let pixels = (0..<size.area * 4).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
            var checks = 0
            #expect(throws: CancellationError.self) {
                _ = try CodecJob.encode(job).start(pixels, limit: .max) {
                    checks += 1
                    if checks > 200 { throw CancellationError() }
                }
            }
        }

        @Test("an image of any size has a process, if the settings ask for slow encoding")
        func slowSettings() {
            var slow = EncoderSettings()
            #expect(slow.uninterruptedArea(of: .avif) > 0 && slow.uninterruptedArea(of: .jpegXL) > 0)
            slow.avifSpeed = 5
            slow.jxlEffort = 8
            #expect(slow.uninterruptedArea(of: .avif) == 0 && slow.uninterruptedArea(of: .jpegXL) == 0)
        }

        @Test("a job that can't be done says why")
        func impossibleJob() throws {
            let job = DecodingJob(
                format: "pdf", width: 1, height: 1, isNative: false, prefersSpeed: false, decodedBytes: 1)
            let reply = try CodecJob.decode(job).start([1, 2, 3], limit: 1) {}
            #expect(reply.outcome == .unsupported)
            #expect(reply.text == "there is no decoder")
        }

        @Test("a process can't make the server allocate more than the result has")
        func announcedSizes() {
            func accepts(_ outcome: UInt8, _ count: UInt64) -> Bool {
                CodecReply.parse(head: [outcome] + (0..<8).map { UInt8(count >> ($0 * 8) & 255) }, limit: 50_000) != nil
            }
            #expect(accepts(0, 50_000) && accepts(1, 50_000) && accepts(2, 4_096) && accepts(3, 0))
            #expect(
                !accepts(0, 50_001) && !accepts(1, 1 << 40) && !accepts(0, .max) && !accepts(2, 4_097) && !accepts(4, 0)
            )
        }

        @Test("other arguments are no job")
        func otherArguments() throws {
            #expect(try CodecJob(arguments: ["--port", "0"]) == nil)
            #expect(try CodecJob(arguments: ["codec-job"]) == nil)
            #expect(throws: (any Error).self) { try CodecJob(arguments: ["codec-job", "{}"]) }
        }
    }
#endif
