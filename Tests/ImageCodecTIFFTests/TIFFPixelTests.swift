#if TIFF
    import Foundation
    @testable import GeneratedImages
    import ImageCodecTIFF
    import ImageCore
    import ImageTesting
    import Testing

    @Suite("TIFF: the values of pixels")
    struct TIFFPixelTests {
        private func pixels(_ file: Data, _ layout: PixelLayout) throws -> [UInt8] {
            let image = try TIFFDecoder().open(file, limits: .default)
            let sink = CollectingRowSink()
            try image.decode(frame: 0, size: image.header.storedSize, layout: layout, into: sink)
            return sink.pixels
        }

        @Test("16 bits are rounded to 8")
        func deep() throws {
            let values: [UInt16] = [0, 128, 129, 0x7FFF, 0xFF7E, 0xFFFF]
            let bytes = values.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            #expect(try pixels(TestTIFF.page([258: 16], pixels: bytes), .gray8) == [0, 0, 1, 127, 254, 255])
        }

        @Test("inks are converted to rounded color, and a sample after them is no alpha")
        func inks() throws {
            let tags = [256: 2, 257: 1, 262: 5, 277: 5, 338: 2]
            let file = TestTIFF.page(tags, pixels: [0, 100, 255, 100, 9, 1, 254, 128, 127, 9])
            let header = try TIFFDecoder().open(file, limits: .default).header
            #expect(header.nativeLayout == .cmyk8)
            #expect(!header.hasAlpha)
            #expect(try pixels(file, .cmyk8) == [0, 100, 255, 100, 1, 254, 128, 127])
            #expect(try pixels(file, .rgba8) == [155, 94, 0, 255, 127, 1, 64, 255])
        }

        /// Gray and alpha: rounded, more than alpha, and invisible.
        private static let multiplied: [UInt8] = [1, 3, 2, 3, 100, 201, 90, 80, 7, 0, 255, 255]
        private static let straight: [UInt8] = [85, 3, 170, 3, 127, 201, 255, 80, 0, 0, 255, 255]

        @Test("color that is multiplied by alpha becomes straight, rounded, and never more than 255")
        func associated() throws {
            let file = TestTIFF.page([277: 2, 338: 1], pixels: Self.multiplied)
            #expect(try pixels(file, .grayAlpha8) == Self.straight)
            let rgba = stride(from: 0, to: 12, by: 2).flatMap { index -> [UInt8] in
                [UInt8](repeating: Self.straight[index], count: 3) + [Self.straight[index + 1]]
            }
            #expect(try pixels(file, .rgba8) == rgba)
        }

        @Test("alpha of planes that libtiff converts is kept")
        func converted() throws {
            let planes = (0...1).flatMap { plane in stride(from: plane, to: 12, by: 2).map { Self.multiplied[$0] } }
            let file = TestTIFF.page([277: 2, 284: 2, 338: 1], pixels: planes, planes: 2)
            let header = try TIFFDecoder().open(file, limits: .default).header
            #expect(header.nativeLayout == .rgba8)
            #expect(header.hasAlpha)
            let found = try pixels(file, .rgba8)
            #expect(stride(from: 0, to: 24, by: 4).flatMap { [found[$0], found[$0 + 3]] } == Self.straight)
        }

        @Test("JPEG in YCbCr becomes color row by row, without memory for all rows")
        func jpeg() throws {
            let jpeg = FlatJPEG(
                width: 16, height: 16,
                components: [.init(2, 2, level: 150), .init(level: 100), .init(level: 180)]
            ).data
            let file = TestTIFF.page([256: 16, 257: 16, 259: 7, 262: 6, 277: 3, 278: 16], pixels: Array(jpeg))
            let image = try TIFFDecoder().open(file, limits: .default)
            #expect(image.heldByteCount(frame: 0, size: image.header.storedSize, layout: .rgba8) == 16 * 3)
            // ITU-T T.871, section 7: 150 + 1.402 * 52, 150 + 0.344 * 28 - 0.714 * 52, 150 - 1.772 * 28
            let expected = Array([[UInt8]](repeating: [223, 123, 100, 255], count: 256).joined())
            let found = try pixels(file, .rgba8)
            try #require(found.count == expected.count)
            #expect(zip(found, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
        }
    }
#endif
