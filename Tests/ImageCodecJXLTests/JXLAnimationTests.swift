#if JXL
    import Foundation
    import GeneratedImages
    import ImageCodecJXL
    import ImageCore
    import TestJXL
    import TestProfiles
    import Testing

    @Suite("Animated JPEG XL")
    struct JXLAnimationTests {
        private static let size = JXLSamples.size

        private static func frames(_ durations: [Int], channels: Int = 3) -> [TestJXL.Frame] {
            durations.enumerated().map { index, duration in
                TestJXL.Frame(JXLSamples.bytes(channels: channels, seed: index), duration: duration)
            }
        }

        private static func expected(_ index: Int, channels: Int = 3) -> [UInt8] {
            JXLSamples.rgba(JXLSamples.values(channels: channels, seed: index), channels: channels)
        }

        @Test("durations are converted from ticks, and up to 10 ms become 100 ms", arguments: [0, 5])
        func durations(loops: Int) throws {
            var coding = TestJXL(Self.size)
            coding.ticks = .init(25, 1)
            coding.loops = loops
            var image = try jxl.open(coding.file(Self.frames([1, 10, 250])))
            #expect(image.header.frameDelays == [.milliseconds(40), .milliseconds(400), .seconds(10)])
            #expect(image.header.loopCount == loops)
            #expect(image.header.frameCount == 3)
            coding.ticks = .init(1000, 1)
            image = try jxl.open(coding.file(Self.frames([10, 11, 1])))
            #expect(image.header.frameDelays == [100, 11, 100].map { .milliseconds($0) })
            coding.ticks = .init(30_000, 1001)
            image = try jxl.open(coding.file(Self.frames([30, 3])))
            #expect(image.header.frameDelays == [.microseconds(1_001_000), .microseconds(100_100)])
        }

        @Test("frames can have names of any length")
        func names() throws {
            var coding = TestJXL(Self.size)
            coding.ticks = .init(100, 1)
            var frames = Self.frames([2, 3, 4, 5])
            for (index, length) in [15, 31, 100].enumerated() {
                frames[index].name = String(repeating: "n", count: length)
            }
            let image = try jxl.open(coding.file(frames))
            #expect(image.header.frameDelays == [20, 30, 40, 50].map { .milliseconds($0) })
            #expect(try jxl.pixels(image, frame: 3).largestDifference(to: Self.expected(3)) == 0)
        }

        @Test("a frame without duration is a layer of the next one")
        func layers() throws {
            var coding = TestJXL(Self.size, channels: 4)
            coding.ticks = .init(100, 1)
            let background = JXLSamples.bytes(channels: 4).enumerated().map { $0.offset % 4 == 3 ? 255 : $0.element }
            let area = TestJXL.Area(left: 5, top: 3, width: 8, height: 6)
            let square = [UInt8](repeating: 200, count: 8 * 6 * 4).enumerated().map {
                $0.offset % 4 == 3 ? 255 : $0.element
            }
            let data = try coding.file([
                .init(background, duration: 0), .init(square, duration: 7, area: area, blendMode: 2),
                .init(background, duration: 9),
            ])
            let image = try jxl.open(data)
            #expect(image.header.frameDelays == [.milliseconds(70), .milliseconds(90)])
            var expected = background
            for y in 3..<9 {
                for x in 5..<13 {
                    let start = (y * Self.size.width + x) * 4
                    expected.replaceSubrange(start..<start + 3, with: [200, 200, 200])
                }
            }
            #expect(try jxl.pixels(image, frame: 0).largestDifference(to: expected) == 0)
            #expect(try jxl.pixels(image, frame: 1).largestDifference(to: background) == 0)
            #expect(try jxl.pixels(image, frame: 0).largestDifference(to: expected) == 0)
        }

        @Test("frames that are stored for later ones count as memory, once for each slot")
        func storedFrames() throws {
            func heldBytes(_ slots: [Int]) throws -> Int {
                var coding = TestJXL(Self.size)
                coding.ticks = .init(100, 1)
                var frames = Self.frames([1, 1, 1, 1])
                for (index, slot) in slots.enumerated() { frames[index].savedSlot = slot }
                return try jxl.open(coding.file(frames)).heldByteCount(frame: 0, size: Self.size, layout: .rgba8)
            }
            // Three planes of floats.
            #expect(try heldBytes([1, 2, 3]) - heldBytes([1, 1, 1]) == 12 * Self.size.area)
        }

        @Test("the hidden layers of each frame have up to four times the pixels of an image")
        func layersOfEachFrame() throws {
            var coding = TestJXL(Self.size)
            coding.ticks = .init(100, 1)
            let area = Self.size.area
            let limits = DecodingLimits(maxPixels: area)
            let accepted = try coding.file(Self.frames([0, 0, 0, 0, 1, 0, 0, 0, 0, 1]))
            #expect(try jxl.header(of: accepted, limits: limits).frameCount == 2)
            let refused = try coding.file(Self.frames([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1]))
            let failure = jxl.failure(refused, limits: limits)
            #expect(failure == .limitExceeded(.pixels, value: area * 5 / 4, allowed: area))
        }

        @Test("layers of a still image are composed, and there is one frame")
        func stillLayers() throws {
            let coding = TestJXL(Self.size)
            let area = TestJXL.Area(left: 0, top: 0, width: 40, height: 10)
            let data = try coding.file([
                .init(JXLSamples.bytes(channels: 3)), .init([UInt8](repeating: 9, count: 40 * 10 * 3), area: area),
            ])
            let image = try jxl.open(data)
            #expect(image.header.frameCount == 1 && image.header.frameDelays.isEmpty && image.header.loopCount == 1)
            let pixels = try jxl.pixels(image)
            #expect(pixels[0] == 9)
            #expect(pixels.dropFirst(40 * 10 * 4).largestDifference(to: Self.expected(0).dropFirst(40 * 10 * 4)) == 0)
        }

        @Test("frames that store their sections in another order are decoded")
        func centerFirst() throws {
            let size = PixelSize(width: 600, height: 530)
            var coding = TestJXL(size)
            coding.ticks = .init(100, 1)
            coding.storesCenterFirst = true
            let samples = (0..<3).map { JXLSamples.bytes(size, channels: 3, seed: $0) }
            let image = try jxl.open(coding.file(samples.map { TestJXL.Frame($0, duration: 1) }))
            #expect(image.header.frameCount == 3)
            for index in [0, 2, 1, 1] {
                let expected = JXLSamples.rgba(samples[index].map(Int.init), channels: 3)
                #expect(try jxl.pixels(image, frame: index).largestDifference(to: expected) == 0)
            }
        }

        @Test("frames of a truncated animation are decoded, and the next ones are truncated")
        func truncated() throws {
            var coding = TestJXL(Self.size)
            coding.ticks = .init(100, 1)
            let data = try coding.file(Self.frames([5, 5, 5]))
            let cut = data.prefix(data.count * 2 / 3 - 50)
            let image = try jxl.open(cut)
            #expect(image.header.frameCount == 2)
            #expect(try jxl.pixels(image, frame: 0).largestDifference(to: Self.expected(0)) == 0)
            for index in [1, 2] {
                #expect(throws: ImageDecodingError.truncated(.jpegXL)) { try jxl.pixels(image, frame: index) }
            }
            #expect(try jxl.pixels(image, frame: 0).largestDifference(to: Self.expected(0)) == 0)
        }

        @Test(
            "a truncated later frame delivers all rows in less detail if it is lossy without alpha, and else none",
            arguments: [true, false], [3, 4])
        func truncatedLaterFrame(isLossless: Bool, channels: Int) throws {
            let size = PixelSize(width: 40, height: 1100)
            var coding = TestJXL(size, channels: channels)
            coding.isLossless = isLossless
            coding.ticks = .init(100, 1)
            let frame = TestJXL.Frame(JXLSamples.bytes(size, channels: channels), duration: 1)
            let data = try coding.file([frame, frame])
            let (rows, failure) = jxl.rows(data.prefix(data.count * 4 / 5), frame: 1)
            #expect(failure == .truncated(.jpegXL))
            #expect(rows.count == (!isLossless && channels == 3 ? size.height : 0))
        }
    }

    @Suite("Encoding JPEG XL")
    struct JXLEncoderTests {
        @Test("sides have up to 262,144 pixels, and animations stop when their task is cancelled")
        func refused() async {
            #expect(await JXLEncoder(effort: 1).hasLongestSide(1 << 18))
            #expect(await JXLEncoder().failure(8, 8, frames: 2, isCancelled: true) == .cancelled)
        }

        @Test("a frame stores what changed, and the frames are the same in any order", arguments: [false, true])
        func changedAreas(hasAlpha: Bool) throws {
            let first = JXLSamples.bitmap(PixelSize(width: 120, height: 90), hasAlpha: hasAlpha)
            // A few pixels change, none, the last one, and all.
            var pixels = first.pixels
            let bitmaps = [0..<0, 20_000..<20_040, 0..<0, 43_196..<43_199, 0..<43_200].map { range in
                for index in range where hasAlpha || index % 4 != 3 { pixels[index] ^= 40 }
                return Bitmap(size: first.size, pixels: pixels, isOpaque: !hasAlpha)
            }
            let delays = [10, 70, 120_000, 50, 40].map { Duration.milliseconds($0) }
            let frames = zip(bitmaps, delays).map { AnimationFrame(bitmap: $0, delay: $1) }
            let options = EncodingOptions(isLossless: true)
            let data = try JXLEncoder(effort: 3).encode(frames, loopCount: 7, options: options)
            let similar = try JXLEncoder(effort: 3).encode(Array(frames.prefix(4)), loopCount: 7, options: options)
            #expect(try similar.count < JXLEncoder(effort: 3).encode(first, options: options).count * 5 / 4)
            let image = try jxl.open(data)
            #expect(image.header.loopCount == 7)
            #expect(image.header.frameDelays == [.milliseconds(100)] + delays.dropFirst())
            for index in [4, 1, 3, 0, 2] { #expect(try jxl.pixels(image, frame: index) == bitmaps[index].pixels) }
            let lossy = try jxl.open(JXLEncoder(effort: 3).encode(frames, loopCount: 7, options: EncodingOptions()))
            for index in [3, 4, 0] {
                #expect(try jxl.pixels(lossy, frame: index).signalToNoise(to: bitmaps[index].pixels) > 24)
            }
        }

        @Test("a part that changes can be as wide or as high as the image", arguments: [(40, 5), (7, 26)])
        func changedStrip(width: Int, height: Int) throws {
            let first = JXLSamples.bitmap()
            let size = first.size
            var pixels = first.pixels
            for y in size.height - height..<size.height {
                for x in size.width - width..<size.width { pixels[(y * size.width + x) * 4] ^= 40 }
            }
            let second = Bitmap(size: size, pixels: pixels, isOpaque: true)
            let frames = [first, second].map { AnimationFrame(bitmap: $0, delay: .seconds(1)) }
            let data = try JXLEncoder(effort: 3).encode(frames, loopCount: 0, options: .init(isLossless: true))
            #expect(try jxl.pixels(data, frame: 1).largestDifference(to: pixels) == 0)
        }

        @Test("an animation has the largest color space of its frames, alpha if any has it, and its repetitions")
        func colorOfAnimation() throws {
            let clear = Bitmap(size: Bitmap.displayP3.size, pixels: [UInt8](repeating: 0, count: 256), isOpaque: false)
            let frames = [Bitmap.displayP3, clear].map { AnimationFrame(bitmap: $0, delay: .zero) }
            let header = try jxl.header(of: JXLEncoder(effort: 3).encode(frames, loopCount: 3, options: .init()))
            #expect(header.color.primaries == .displayP3 && header.color.transfer == .sRGB)
            #expect(header.hasAlpha && header.loopCount == 3 && header.frameCount == 2)
        }

        @Test("effort is from 1 to 9")
        func effort() throws {
            func file(_ effort: Int) throws -> Data {
                try JXLEncoder(effort: effort).encode(JXLSamples.bitmap(), options: EncodingOptions(isLossless: true))
            }
            #expect(try file(0) == file(1))
            #expect(try file(10) == file(9))
            #expect(try file(1) != file(9))
        }

        @Test("an animation is repeated forever, or up to 2^32 - 1 times")
        func repetitions() throws {
            let frames = (0..<2).map { AnimationFrame(bitmap: JXLSamples.bitmap(seed: $0), delay: .seconds(1)) }
            for (count, written) in [(-1, 0), (Int.max, Int(UInt32.max))] {
                let file = try JXLEncoder(effort: 1).encode(frames, loopCount: count, options: .init())
                #expect(try jxl.header(of: file).loopCount == written)
            }
        }

        @Test("higher quality gives larger files that are closer to the image")
        func quality() throws {
            let bitmap = JXLSamples.bitmap(PixelSize(width: 200, height: 150))
            var last = (count: 0, psnr: 0.0)
            for (quality, minimum) in [(0.1, 15.0), (0.5, 19.0), (0.85, 24.0), (1.0, 36.0)] {
                let data = try JXLEncoder(effort: 3).encode(bitmap, options: EncodingOptions(quality: quality))
                let psnr = try jxl.pixels(data).signalToNoise(to: bitmap.pixels)
                #expect(psnr > minimum && psnr > last.psnr && data.count > last.count, "\(quality): \(psnr) dB")
                last = (data.count, psnr)
            }
        }

        @Test("lossy encoding keeps alpha within a few levels")
        func lossyAlpha() throws {
            let bitmap = JXLSamples.bitmap(hasAlpha: true)
            let image = try jxl.open(JXLEncoder().encode(bitmap, options: EncodingOptions()))
            #expect(image.header.hasAlpha)
            let pixels = try jxl.pixels(image)
            let differences = stride(from: 3, to: pixels.count, by: 4).map {
                abs(Int(pixels[$0]) - Int(bitmap.pixels[$0]))
            }
            #expect(differences.max() ?? 255 <= 12)
        }

        @Test("the orientation and the profile are stored, and the pixels don't change")
        func metadata() throws {
            let profile = TestProfile.rgb(white: TestProfile.d65, primaries: TestProfile.p3Primaries, gamma: 2.2)
            let encoder = JXLEncoder(effort: 3, orientation: .left, colorProfile: profile)
            let image = try jxl.open(
                try encoder.encode(JXLSamples.bitmap(), options: EncodingOptions(isLossless: true)))
            #expect(image.header.orientation == .left)
            #expect(image.header.colorProfile == profile)
            #expect(try jxl.pixels(image).largestDifference(to: JXLSamples.bitmap().pixels) == 0)
        }

        @Test("an invalid profile is an error")
        func invalidProfile() {
            let encoder = JXLEncoder(colorProfile: Data("not a profile".utf8))
            #expect(throws: ImageEncodingError.failed(.jpegXL, "libjxl could not start the file")) {
                try encoder.encode(JXLSamples.bitmap(), options: EncodingOptions())
            }
        }
    }
#endif
