#if JXL
    import Foundation
    import GeneratedImages
    import ImageCodecJPEG
    import ImageCodecJXL
    import ImageCore
    import ImageTesting
    import TestJXL
    import Testing

    @Suite("Decoding JPEG XL")
    struct JXLDecoderTests {
        static let size = JXLSamples.size

        @Test(
            "lossless samples of each channel layout and bit depth are delivered as 8 bits, rounded", arguments: 1...4,
            [8, 10, 12, 16])
        func lossless(channels: Int, bits: Int) throws {
            let maximum = 1 << bits - 1
            let values = JXLSamples.values(channels: channels, maximum: maximum)
            var coding = TestJXL(Self.size, channels: channels)
            coding.bits = bits
            // libjxl 0.7 takes samples of more than 8 bits as fractions of 16 bits.
            let data =
                try bits == 8
                ? coding.file(values.map { UInt8($0) })
                : coding.file(values.map { UInt16((Double($0) * 65535 / Double(maximum)).rounded()) })
            let image = try jxl.open(data)
            #expect(
                image.header
                    == ImageHeader(format: .jpegXL, storedSize: Self.size, hasAlpha: channels % 2 == 0))
            let expected = JXLSamples.rgba(values, channels: channels, maximum: maximum)
            let pixels = try jxl.pixels(image)
            // libjxl rounds a product of floats, so halves can go either way.
            #expect(pixels.largestDifference(to: expected) <= (bits == 8 ? 0 : 1))
        }

        @Test(
            "lossy codings are close to the image",
            arguments: ["blocks", "modular", "progressive", "low frequency frame", "patches", "half size"])
        func lossy(name: String) throws {
            let size = PixelSize(width: 300, height: 280)
            var coding = TestJXL(size)
            coding.isLossless = false
            coding.isModular = name == "modular"
            coding.progression = name == "progressive" ? 1 : name == "low frequency frame" ? 2 : 0
            coding.usesPatches = name == "patches" ? true : nil
            coding.resampling = name == "half size" ? 2 : 0
            coding.effort = name == "patches" ? 7 : 3
            let values = JXLSamples.bytes(size, channels: 3).map(Int.init)
            let expected = JXLSamples.rgba(values, channels: 3)
            let pixels = try jxl.pixels(coding.file(values.map { UInt8($0) }))
            let psnr = pixels.signalToNoise(to: expected)
            #expect(psnr > (name == "half size" ? 22 : 26), "\(psnr) dB")
        }

        @Test("premultiplied colors are divided by alpha")
        func premultiplied() throws {
            let values = JXLSamples.values(channels: 4)
            var samples: [UInt8] = []
            var expected: [UInt8] = []
            for start in stride(from: 0, to: values.count, by: 4) {
                let alpha = values[start + 3]
                let colors = (0..<3).map { values[start + $0] * alpha / 255 }
                samples += (colors + [alpha]).map { UInt8($0) }
                expected += colors.map { alpha == 0 ? 0 : UInt8((Double($0) * 255 / Double(alpha)).rounded()) }
                expected.append(UInt8(alpha))
            }
            let image = try jxl.open(TestJXL(Self.size, channels: 4).premultipliedFile(samples))
            #expect(image.header.hasAlpha)
            let pixels = try jxl.pixels(image)
            let isVisible = expected.indices.map { expected[$0 | 3] > 0 }
            let visible = zip(pixels, isVisible).filter(\.1).map(\.0)
            let expectedVisible = zip(expected, isVisible).filter(\.1).map(\.0)
            #expect(visible.largestDifference(to: expectedVisible) <= 1)
        }

        @Test("other channels are ignored", arguments: [3, 4])
        func extraChannel(channels: Int) throws {
            let values = JXLSamples.values(channels: channels)
            var coding = TestJXL(Self.size, channels: channels)
            coding.extraChannel = 1  // depth
            let image = try jxl.open(coding.file(values.map { UInt8($0) }))
            #expect(image.header.hasAlpha == (channels == 4))
            #expect(
                try jxl.pixels(image).largestDifference(to: JXLSamples.rgba(values, channels: channels)) == 0)
        }

        @Test("CMYK is not supported")
        func cmyk() throws {
            var coding = TestJXL(Self.size)
            coding.extraChannel = 4  // black
            let data = try coding.file(JXLSamples.bytes(channels: 3))
            #expect(throws: ImageDecodingError.unsupported(.jpegXL, "CMYK")) { try jxl.open(data) }
        }

        @Test("pixels are stored as they are, and the header has the orientation", arguments: ImageOrientation.allCases)
        func orientation(_ orientation: ImageOrientation) throws {
            var coding = TestJXL(Self.size)
            coding.orientation = orientation
            let values = JXLSamples.values(channels: 3)
            let image = try jxl.open(coding.file(values.map { UInt8($0) }))
            #expect(image.header.orientation == orientation)
            #expect(image.header.storedSize == Self.size)
            #expect(try jxl.pixels(image).largestDifference(to: JXLSamples.rgba(values, channels: 3)) == 0)
        }

        @Test(
            "a codestream in one box or divided into parts of any length decodes alike",
            arguments: [1, 17, 100, 100_000])
        func containers(length: Int) throws {
            let codestream = try TestJXL(Self.size).file(JXLSamples.bytes(channels: 3))
            let expected = try jxl.pixels(codestream)
            let exif = ("Exif", Data(count: 30))
            let whole = TestJXL.container([exif, ("jxlc", codestream), ("xml ", Data("<x/>".utf8))])
            #expect(try jxl.pixels(whole).largestDifference(to: expected) == 0)
            let parts = TestJXL.container([exif] + TestJXL.parts(of: codestream, length: length) + [exif])
            #expect(try jxl.pixels(parts).largestDifference(to: expected) == 0)
        }

        @Test("of a divided and a whole codestream, the first one is decoded")
        func bothForms() throws {
            let codestream = try TestJXL(Self.size).file(JXLSamples.bytes(channels: 3))
            let other = ("jxlc", try TestJXL(Self.size).file(JXLSamples.bytes(channels: 3, seed: 5)))
            // None of the parts is marked as the last one.
            var parts = TestJXL.parts(of: codestream, length: 100)
            parts[parts.count - 1].payload[0] &= 0x7F
            let expected = try jxl.pixels(codestream)
            #expect(try jxl.pixels(TestJXL.container(parts + [other])).largestDifference(to: expected) == 0)
            let second = try jxl.pixels(other.1)
            #expect(try jxl.pixels(TestJXL.container([other] + parts)).largestDifference(to: second) == 0)
            #expect(second.largestDifference(to: expected) > 0)
        }

        @Test("a frame, a size or a layout that an image doesn't have is refused")
        func refused() throws {
            let image = try jxl.open(TestJXL(Self.size).file(JXLSamples.bytes(channels: 3)))
            #expect(throws: ImageDecodingError.noSuchFrame(1, frameCount: 1)) { try jxl.pixels(image, frame: 1) }
            #expect(throws: ImageDecodingError.noSuchFrame(-1, frameCount: 1)) { try jxl.pixels(image, frame: -1) }
            let text = "the image can only be decoded at \(Self.size)"
            for (size, layout) in [(PixelSize(width: 20, height: 13), PixelLayout.rgba8), (Self.size, .rgba16)] {
                #expect(throws: ImageDecodingError.unsupported(.jpegXL, text)) {
                    try jxl.pixels(image, size: size, layout: layout)
                }
            }
        }

        @Test("a box with a gain map, before or after the codestream, is reported")
        func gainMap() throws {
            let codestream = ("jxlc", try TestJXL(Self.size).file(JXLSamples.bytes(channels: 3)))
            let map = ("jhgm", Data(count: 30))
            for (boxes, expected) in [([codestream], false), ([map, codestream], true), ([codestream, map], true)] {
                #expect(try jxl.open(TestJXL.container(boxes)).header.hasGainMap == expected)
            }
            #expect(try !jxl.open(codestream.1).header.hasGainMap)
        }

        @Test("boxes with a 64-bit size and with an open end are read")
        func boxSizes() throws {
            let codestream = try TestJXL(Self.size).file(JXLSamples.bytes(channels: 3))
            let expected = try jxl.pixels(codestream)
            let size = (0..<8).map { UInt8((codestream.count + 16) >> (56 - 8 * $0) & 255) }
            let long = Data([0, 0, 0, 1]) + Data("jxlc".utf8) + Data(size)
            let open = Data([0, 0, 0, 0]) + Data("jxlc".utf8)
            for header in [long, open] {
                #expect(
                    try jxl.pixels(TestJXL.container([]) + header + codestream).largestDifference(to: expected)
                        == 0)
            }
        }

        @Test("a file that contains a JPEG decodes to the pixels of the JPEG")
        func jpeg() throws {
            let jpeg = try JPEGEncoder().encode(JXLSamples.bitmap(), options: EncodingOptions(quality: 0.9))
            let sink = CollectingRowSink()
            try JPEGDecoder().open(jpeg, limits: .default).decode(
                frame: 0, size: Self.size, layout: .rgba8, into: sink)
            let pixels = try jxl.pixels(TestJXL.file(jpeg: jpeg))
            let psnr = pixels.signalToNoise(to: sink.pixels)
            #expect(psnr > 38, "\(psnr) dB")
        }

        @Test("the memory of a decoded image comes from the pool and returns to it")
        func pool() throws {
            let pool = PixelBufferPool(byteLimit: 10 << 20)
            let size = PixelSize(width: 300, height: 200)
            let data = try JXLEncoder(effort: 1).encode(JXLSamples.bitmap(size), options: .init(isLossless: true))
            let image = try JXLDecoder(pool: pool).open(data, limits: .default)
            #expect(try jxl.pixels(image).largestDifference(to: JXLSamples.bitmap(size).pixels) == 0)
            #expect(pool.idleByteCount >= size.area * 4)
            // A decoder with a pool keeps it.
            let (own, other) = (PixelBufferPool(byteLimit: 10 << 20), PixelBufferPool(byteLimit: 10 << 20))
            _ = try FileReading(JXLDecoder(pool: own).using(other)).pixels(data)
            #expect(own.idleByteCount > 0)
            #expect(other.idleByteCount == 0)
        }
    }
#endif
