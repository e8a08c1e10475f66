#if JXL
    import Foundation
    import GeneratedImages
    import ImageCodecJXL
    import ImageCore
    import TestJXL
    import Testing

    /// Tests files of libjxl 0.11, which stores the low frequencies last in lossy images above 2,048 pixels.
    @Suite("JPEG XL with reordered sections")
    struct JXLSectionOrderTests {
        private static let size = PixelSize(width: 2304, height: 96)

        /// A file of the folder with regression files.
        static func file(_ name: String) throws -> Data {
            let folder = URL(filePath: #filePath).appending(path: "../../Fixtures/regression/jxl").standardized
            return try Data(contentsOf: folder.appending(path: "\(name).jxl"))
        }

        /// Returns the gradient from which the files were made, or the inverted one.
        private static func gradient(isInverted: Bool = false) -> [UInt8] {
            (0..<size.height).flatMap { y in
                (0..<size.width).flatMap { x -> [UInt8] in
                    let colors = [x * 255 / 2304, y * 255 / 96, (x + y) * 255 / 2400].map { UInt8($0) }
                    return (isInverted ? colors.map { 255 - $0 } : colors) + [255]
                }
            }
        }

        @Test("an image is decoded, also again and from the parts of a container")
        func whole() throws {
            let data = try Self.file("reordered-sections")
            let image = try jxl.open(TestJXL.container(TestJXL.parts(of: data, length: 500)))
            for _ in 0..<2 { #expect(try jxl.pixels(image).signalToNoise(to: Self.gradient()) > 34) }
        }

        @Test("frames of an animation are decoded in any order")
        func animation() throws {
            let image = try jxl.open(Self.file("reordered-animation"))
            #expect(image.header.frameCount == 2)
            for frame in [1, 0, 1] {
                let expected = Self.gradient(isInverted: frame == 1)
                #expect(try jxl.pixels(image, frame: frame).signalToNoise(to: expected) > 34)
            }
        }

        @Test("hidden frames with reordered sections are decoded, also one that needs another", arguments: [2, 3])
        func lowFrequencyFrame(progression: Int) throws {
            var coding = TestJXL(PixelSize(width: 2304, height: 560))
            coding.isLossless = false
            coding.progression = progression
            let samples = JXLSamples.bytes(coding.size, channels: 3)
            let expected = try jxl.pixels(coding.file(samples))
            coding.storesCenterFirst = true
            let data = try coding.file(samples)
            #expect(try jxl.pixels(data).largestDifference(to: expected) == 0)
            for count in [30, 100, data.count - 1] {
                #expect(jxl.rows(data.prefix(count)).failure == .truncated(.jpegXL))
            }
        }

        @Test("reordered sections are found after a header that libjxl only completes with the next byte")
        func shortHeader() throws {
            let expected = (0..<65).flatMap { y in
                (0..<63).flatMap { x -> [UInt8] in
                    let colors = [x * 255 / 63, y * 255 / 65, (x + y) * 255 / 128].map { UInt8($0) }
                    return colors + [UInt8(255 - (x + y) * 200 / 128)]
                }
            }
            let data = try Self.file("reordered-small-with-alpha")
            #expect(try jxl.pixels(data).signalToNoise(to: expected) > 30)
        }

        @Test("several passes with alpha of a lower resolution are decoded as a whole")
        func smallAlpha() throws {
            let data = try Self.file("progressive-small-alpha")
            let expected = (0..<960).flatMap { y in
                (0..<1100).flatMap { x -> [UInt8] in
                    let gray = UInt8(x * 255 / 1100)
                    return [gray, gray, gray, UInt8(255 - (x + y) * 200 / 2060)]
                }
            }
            #expect(try jxl.pixels(data).signalToNoise(to: expected) > 40)
            let stream = JXLDecoder().makeIncrementalImage(limits: .default)
            try stream.append(data.prefix(data.count / 2))
            try stream.start(size: PixelSize(width: 1100, height: 960), layout: .rgba8)
            try stream.append(data.suffix(100))
            #expect(stream.extent == .nothing)
        }

        @Test("a truncated file is truncated", arguments: ["reordered-sections", "reordered-animation"])
        func truncated(name: String) throws {
            let data = try Self.file(name)
            for count in Array(stride(from: 0, to: data.count, by: 61)) + [data.count - 1] {
                #expect(
                    jxl.rows(data.prefix(count), frame: name == "reordered-animation" ? 1 : 0).failure
                        == .truncated(.jpegXL))
            }
        }

        @Test("while bytes arrive there is a header but no preview and no error", arguments: [1, 1000])
        func arriving(length: Int) throws {
            let data = try Self.file("reordered-sections")
            let image = JXLDecoder().makeIncrementalImage(limits: .default)
            for start in stride(from: 0, to: data.count, by: length) {
                let isNew = image.header == nil
                try image.append(data.dropFirst(start).prefix(length))
                if isNew, image.header != nil { try image.start(size: Self.size, layout: .rgba8) }
                #expect(image.extent == .nothing)
            }
            #expect(image.header?.storedSize == Self.size)
        }
    }
#endif
