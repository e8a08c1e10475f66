#if AVIF
    import CTestAVIF
    import Foundation
    import ImageCodecAVIF
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("AVIF animations")
    struct AVIFAnimationTests {
        /// Returns an animation whose frames get brighter by 1, with durations in units of a timescale.
        private static func animation(_ durations: [UInt32], timescale: UInt32) throws -> Data {
            var image = TestAVIF(16, 16, format: 400, luma: { x, _ in Double(20 + x) / 255 })
            image.settings.frame_count = CInt(durations.count)
            image.settings.timescale = timescale
            unsafe withUnsafeMutableBytes(of: &image.settings.durations) { target in
                for (index, duration) in durations.enumerated() {
                    unsafe target.storeBytes(of: duration, toByteOffset: 4 * index, as: UInt32.self)
                }
            }
            return try image.file()
        }

        @Test("delays are durations in the timescale of the media, and up to 10 ms become 100 ms")
        func timing() throws {
            let durations: [UInt32] = [30_000, 1, 900, 901, 901, 45_000]
            let data = try Self.animation(durations, timescale: 90_000)
            let header = try AVIFReading.open(data).header
            #expect(header.frameCount == 6 && header.loopCount == 0)
            let third = Duration(secondsComponent: 0, attosecondsComponent: 333_333_333_333_333_333)
            let slightlyLonger = Duration(secondsComponent: 0, attosecondsComponent: 10_011_111_111_111_111)
            #expect(
                header.frameDelays == [
                    third, .milliseconds(100), .milliseconds(100), slightlyLonger, slightlyLonger, .milliseconds(500),
                ])
            let bytes = Array(data)
            for (index, duration) in durations.enumerated() {
                #expect(unsafe test_avif_duration(bytes, bytes.count, UInt32(index)) == UInt64(duration))
            }
        }

        @Test("frames can be decoded in any order")
        func anyOrder() throws {
            let data = try Self.animation([100, 100, 100, 100, 100], timescale: 1000)
            let opened = try AVIFReading.open(data)
            for frame in [4, 0, 2, 2, 3, 1, 4] {
                let pixels = try AVIFReading.pixels(opened, frame: frame)
                let first = stride(from: 0, to: 64, by: 4).map { pixels[$0] }
                #expect(first.largestDifference(to: (0..<16).map { UInt8(20 + $0 + frame) }) == 0, "frame \(frame)")
            }
        }

        @Test("decoding the frames in order costs one check for cancellation each")
        func sequential() throws {
            let opened = try AVIFReading.open(try Self.animation([9, 9, 9, 9], timescale: 90))
            for frame in 0..<4 {
                let sink = CountingSink()
                try opened.decode(frame: frame, size: opened.header.storedSize, layout: .rgba8, into: sink)
                // One for the frame and one for the strip.
                #expect(sink.checks == 2, "frame \(frame)")
            }
            let sink = CountingSink()
            try opened.decode(frame: 2, size: opened.header.storedSize, layout: .rgba8, into: sink)
            #expect(sink.checks == 4, "backwards, from the first frame")
        }

        @Test(
            "frames, delays and the loop count are preserved by the encoder", arguments: [0, 1, 3, 65_536],
            [false, true])
        func roundTrip(loopCount: Int, hasAlpha: Bool) throws {
            let bitmaps: [Bitmap] = [
                .scene(33, 21, hasAlpha: hasAlpha), .scene(33, 21, hasAlpha: hasAlpha),
                .scene(33, 21, hasAlpha: hasAlpha, seed: 2), .scene(33, 21),
            ]
            let frames = bitmaps.enumerated().map {
                AnimationFrame(bitmap: $0.element, delay: .milliseconds(20 + 7 * $0.offset))
            }
            let data = try AVIFEncoder(speed: 9).encode(frames, loopCount: loopCount, options: .init(isLossless: true))
            let opened = try AVIFReading.open(data)
            #expect(opened.header.hasAlpha == hasAlpha && opened.header.frameCount == 4)
            #expect(opened.header.frameDelays == frames.map(\.delay))
            #expect(opened.header.loopCount == loopCount)
            for (index, bitmap) in bitmaps.enumerated() {
                let pixels = try AVIFReading.pixels(opened, frame: index)
                #expect(pixels.elementsEqual(bitmap.pixels), "frame \(index)")
            }
            // libavif reads the same file.
            let whole = try AVIFReading.wholeImage(data, size: opened.header.storedSize, frame: 2)
            #expect(whole.elementsEqual(bitmaps[2].pixels))
        }

        @Test("an animation counts the reference frames as memory, and its frames are limited")
        func limits() throws {
            let data = try Self.animation([9, 9, 9, 9], timescale: 90)
            let opened = try AVIFReading.open(data)
            #expect(opened.heldBytes(frame: 0, size: opened.header.storedSize, layout: .rgba8) == 4 * 128 * 128)
            #expect(
                AVIFReading.failure(data, limits: .init(frames: 3)) == .limitExceeded(.frames, value: 4, allowed: 3))
        }

        @Test("a table of durations in which libavif would search for long is refused")
        func largeTables() throws {
            var data = try Self.animation([1, 2, 3, 4], timescale: 90)
            let table = try #require(data.firstRange(of: Data("stts".utf8)))
            data.replaceSubrange(table.upperBound + 4..<table.upperBound + 8, with: [0x7F, 0, 0, 0])
            #expect(AVIFReading.failure(data) == .unsupported(.avif, "too many different durations or chunks"))
        }
    }

    private final class CountingSink: PixelRowSink {
        private(set) var checks = 0

        func receive(_ row: Span<UInt8>) throws(DecodingFailure) {}

        func checkCancellation() throws(DecodingFailure) { checks += 1 }
    }
#endif
