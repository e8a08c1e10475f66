#if AVIF
    import CTestAVIF
    import Foundation
    import GeneratedImages
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
            let header = try avif.open(data).header
            #expect(header.frameCount == 6 && header.loopCount == 0)
            let third = Duration(secondsComponent: 0, attosecondsComponent: 333_333_333_333_333_333)
            let slightlyLonger = Duration(secondsComponent: 0, attosecondsComponent: 10_011_111_111_111_111)
            #expect(
                header.frameDelays == [
                    third, .milliseconds(100), .milliseconds(100), slightlyLonger, slightlyLonger, .milliseconds(500),
                ])
        }

        @Test("decoding the frames in order costs one check for cancellation each")
        func sequential() throws {
            let opened = try avif.open(try Self.animation([9, 9, 9, 9], timescale: 90))
            for frame in 0..<4 {
                let sink = CancellingSink()
                try opened.decode(frame: frame, size: opened.header.storedSize, layout: .rgba8, into: sink)
                // One for the frame and one for the strip.
                #expect(sink.checks == 2, "frame \(frame)")
            }
            let sink = CancellingSink()
            try opened.decode(frame: 2, size: opened.header.storedSize, layout: .rgba8, into: sink)
            #expect(sink.checks == 4, "backwards, from the first frame")
        }

        @Test("a frame is decoded again after a later one was cancelled")
        func cancelled() throws {
            let opened = try avif.open(try Self.animation([9, 9, 9, 9], timescale: 90))
            let first = try avif.pixels(opened)
            #expect(throws: ImageDecodingError.cancelled) {
                let sink = CancellingSink(atCheck: 3)
                try opened.decode(frame: 3, size: opened.header.storedSize, layout: .rgba8, into: sink)
            }
            #expect(try avif.pixels(opened) == first)
        }

        @Test("frames that the table of durations doesn't have last as long as the last one that it has")
        func missingDurations() throws {
            var data = try Self.animation([9, 18, 18, 18], timescale: 90)
            // The second run of three frames follows a version, the number of runs and the first run.
            let count = try #require(data.firstRange(of: Data("stts".utf8))).upperBound + 16
            data.replaceSubrange(count..<count + 4, with: [0, 0, 0, 1])
            let delays = try avif.header(of: data).frameDelays
            #expect(delays == [100, 200, 200, 200].map { .milliseconds($0) })
        }

        @Test("the encoder writes how often an animation plays", arguments: [0, 1, 7, 65_536], [false, true])
        func loopCount(count: Int, hasAlpha: Bool) throws {
            let frames = (1...3).map {
                AnimationFrame(
                    bitmap: Scene.bitmap(33, 21, hasAlpha: hasAlpha, seed: $0), delay: .milliseconds(20 + 7 * Int($0)))
            }
            let data = try AVIFEncoder(effort: 1).encode(frames, loopCount: count, options: .init(isLossless: true))
            let opened = try avif.open(data)
            #expect(opened.header.loopCount == count && opened.header.frameDelays == frames.map(\.delay))
            // Otherwise equal animations would have different files.
            for header in ["mvhd", "tkhd", "mdhd"] {
                let start = try #require(data.firstRange(of: Data(header.utf8))).upperBound + 4
                #expect(data[start..<start + 16].allSatisfy { $0 == 0 }, "\(header) has times")
            }
            let atoms = try ["edts", "moov", "mdat"].map { try #require(data.firstRange(of: Data($0.utf8))).lowerBound }
            #expect(atoms[1] < atoms[0] && atoms[0] < atoms[2], "a player knows all frames before it has their data")
            // libavif reads the same file, its frames and its still image.
            let whole = try avif.wholeImage(data, size: opened.header.storedSize, frame: 2)
            #expect(whole.largestDifference(to: frames[2].bitmap.pixels) == 0)
            var still = data
            still.replaceSubrange(8..<12, with: Data("avif".utf8))
            #expect(try avif.open(still).header.frameCount == 1)
            #expect(try avif.pixels(still) == frames[0].bitmap.pixels)
        }

        @Test("an animation counts the reference frames as memory, and its frames are limited")
        func limits() throws {
            let data = try Self.animation([9, 9, 9, 9], timescale: 90)
            let opened = try avif.open(data)
            #expect(opened.heldByteCount(frame: 0, size: opened.header.storedSize, layout: .rgba8) == 4 * 128 * 128)
            #expect(
                avif.failure(data, limits: .init(maxFrames: 3)) == .limitExceeded(.frames, value: 4, allowed: 3))
        }

        @Test("an animation holds up to 8 reference frames")
        func references() throws {
            for count in [9, 10] {
                let frames = (0..<count).map {
                    AnimationFrame(bitmap: Scene.bitmap(16, 16, seed: UInt64($0)), delay: .seconds(1))
                }
                let opened = try avif.open(AVIFEncoder(effort: 1).encode(frames, loopCount: 0, options: .init()))
                let bytes = opened.heldByteCount(frame: 0, size: opened.header.storedSize, layout: .rgba8)
                #expect(bytes == 9 * 128 * 128 * 3 / 2, "\(count) frames")
            }
        }

        @Test("a table of durations in which libavif would search for long is refused")
        func largeTables() throws {
            var data = try Self.animation([1, 2, 3, 4], timescale: 90)
            let table = try #require(data.firstRange(of: Data("stts".utf8)))
            data.replaceSubrange(table.upperBound + 4..<table.upperBound + 8, with: [0x7F, 0, 0, 0])
            #expect(avif.failure(data) == .unsupported(.avif, "too many different durations or chunks"))
        }
    }

    @Suite("Encoding AVIF")
    struct AVIFEncoderTests {

        @Test("better quality gives larger files that are closer to the image, and alpha is exact")
        func quality() throws {
            let bitmap = Scene.bitmap(128, 96, hasAlpha: true)
            var last = (count: 0, ratio: 20.0)
            for quality in [0.2, 0.6, 0.95] {
                let data = try AVIFEncoder(effort: 1).encode(bitmap, options: .init(quality: quality))
                let pixels = try avif.pixels(try avif.open(data))
                let ratio = pixels.signalToNoise(to: bitmap.pixels)
                #expect(data.count > last.count && ratio > last.ratio, "\(quality): \(data.count) bytes, \(ratio) dB")
                last = (data.count, ratio)
                let alphas = stride(from: 3, to: pixels.count, by: 4)
                #expect(alphas.allSatisfy { pixels[$0] == bitmap.pixels[$0] })
            }
            #expect(last.ratio > 38)
        }

        @Test("the orientation and the profile are stored", arguments: ImageOrientation.allCases)
        func orientation(orientation: ImageOrientation) throws {
            let profile = Data((0..<77).map { UInt8($0) })
            let encoder = AVIFEncoder(effort: 0, orientation: orientation, colorProfile: profile)
            let bitmap = Scene.bitmap(8, 5)
            let opened = try avif.open(try encoder.encode(bitmap, options: .init(isLossless: true)))
            #expect(opened.header.orientation == orientation && opened.header.colorProfile == profile)
            #expect(try avif.pixels(opened) == bitmap.pixels)
        }

        @Test("a delay above 2^31 milliseconds becomes the largest one")
        func largestDelay() throws {
            let bitmap = Scene.bitmap(8, 8)
            let frames = [
                AnimationFrame(bitmap: bitmap, delay: .seconds(3_000_000)), .init(bitmap: bitmap, delay: .zero),
            ]
            let data = try AVIFEncoder(effort: 1).encode(frames, loopCount: 1, options: .init())
            let header = try avif.header(of: data)
            #expect(header.frameDelays.first == .milliseconds(Int(Int32.max)))
        }

        @Test("sides have up to 65,536 pixels, and animations stop when their task is cancelled")
        func refused() async {
            #expect(await AVIFEncoder(effort: 0).hasLongestSide(65_536))
            #expect(await AVIFEncoder().failure(8, 8, frames: 2, isCancelled: true) == .cancelled)
        }

        @Test("an animation whose length is no number plays forever, as after a negative number of plays")
        func endless() throws {
            let frames = [2, 4].map { AnimationFrame(bitmap: Scene.bitmap(8, 8), delay: .milliseconds($0)) }
            // 6 milliseconds times this are 2 more than a number of 64 bits.
            for count in [Int(UInt64.max / 6) + 1, -1] {
                let file = try AVIFEncoder(effort: 1).encode(frames, loopCount: count, options: .init())
                #expect(try avif.header(of: file).loopCount == 0)
            }
        }

        @Test("effort is from 0 to 10, and in animations at least 4")
        func effort() throws {
            func still(_ effort: Int) throws -> Data {
                try AVIFEncoder(effort: effort).encode(Scene.bitmap(16, 16), options: .init())
            }
            #expect(try still(11) == still(10))
            #expect(try still(-1) == still(0))
            let frames = (1...2).map { AnimationFrame(bitmap: Scene.bitmap(16, 16, seed: $0), delay: .seconds(1)) }
            func moving(_ effort: Int) throws -> Data {
                try AVIFEncoder(effort: effort).encode(frames, loopCount: 1, options: .init())
            }
            #expect(try moving(0) == moving(4))
        }

        @Test("an animation of one frame is a still image")
        func singleFrame() throws {
            let frame = AnimationFrame(bitmap: Scene.bitmap(8, 8), delay: .seconds(1))
            let file = try AVIFEncoder(effort: 1).encode([frame], loopCount: 3, options: .init())
            #expect(file[8..<12].elementsEqual("avif".utf8))
            #expect(file.firstRange(of: Data("moov".utf8)) == nil)
        }

        @Test("an animation has the largest color space of its frames, and alpha if any frame has it")
        func animation() throws {
            let clear = Bitmap(size: Bitmap.displayP3.size, pixels: [UInt8](repeating: 0, count: 256), isOpaque: false)
            let frames = [Bitmap.displayP3, clear].map { AnimationFrame(bitmap: $0, delay: .zero) }
            let header = try avif.header(of: AVIFEncoder(effort: 1).encode(frames, loopCount: 1, options: .init()))
            #expect(header.color.primaries == .displayP3 && header.color.transfer == .sRGB)
            #expect(header.hasAlpha && header.loopCount == 1)
        }

        @Test("chroma has half the resolution below quality 0.9, and effort changes the file")
        func coding() throws {
            func file(_ quality: Double, effort: Int = 1) throws -> Data {
                try AVIFEncoder(effort: effort).encode(Scene.bitmap(64, 48), options: .init(quality: quality))
            }
            for (quality, subsampling) in [(0.89, 0x0C), (0.9, 0)] as [(Double, UInt8)] {
                let data = try file(quality)
                let configuration = try #require(data.firstRange(of: Data("av1C".utf8)))
                #expect(data[configuration.upperBound + 2] & 0x0C == subsampling)
            }
            #expect(try file(0.8, effort: 8) != file(0.8, effort: 1))
        }
    }
#endif
