#if TIFF
    import Foundation
    import GeneratedImages
    import ImageCodecTIFF
    import ImageCore
    import ImageTesting
    import LeakChecking
    import ReferenceFiles
    import Testing

    @Suite("TIFF: files of other programs")
    struct TIFFFileTests {
        private static let files = Result {
            try ReferenceFile.all(in: Bundle.module.bundleURL.appending(path: "Files"))
        }

        @Test("the pixels are those of the other program", arguments: try files.get())
        func pixels(file: ReferenceFile) throws {
            #expect(try #require(try file.difference(by: TIFFDecoder())) <= 1)
        }

        @Test("a truncated or damaged file is decoded or throws a typed error", arguments: try files.get())
        func damage(file: ReferenceFile) throws {
            try file.checkDamage(by: TIFFDecoder())
        }

        #if canImport(Glibc)
            @Test("memory is freed, also of files that are cut or damaged, and of decodes that a sink ends")
            func leaks() async {
                await #expect(processExitsWith: .success) {
                    let files = try Self.files.get()
                    try checkForLeaks {
                        for file in files {
                            try file.checkDamage(by: TIFFDecoder())
                            let image = try TIFFDecoder().open(file.data, limits: .default)
                            let size = image.header.storedSize
                            #expect(throws: ImageDecodingError.cancelled) {
                                try image.decode(frame: 0, size: size, layout: .rgba8, into: FailingSink())
                            }
                        }
                    }
                }
            }

            private final class FailingSink: PixelRowSink {
                func receive(_ row: Span<UInt8>) throws(ImageDecodingError) { throw .cancelled }
            }
        #endif

        @Test("the memory of a row of tiles is limited before it is allocated")
        func tileMemory() throws {
            let file = try #require(try Self.files.get().first { $0.name == "tiff-tiles.tiff" })
            let image = try TIFFDecoder().open(file.data, limits: .default)
            let held = image.heldByteCount(frame: 0, size: image.header.storedSize, layout: .rgba8)
            let limits = DecodingLimits(decodedByteLimit: held - 1)
            #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: held, allowed: held - 1)) {
                _ = try file.difference(by: LimitedDecoder(limits: limits))
            }
        }

        @Test(
            "the memory is that of a band, and of what libtiff decodes at once",
            arguments: [
                "none": 111, "webp": 2664, "lerc": 2664, "tiles": 2544, "palette": 4255,
                "planes": 5957, "planes-tiles": 3136,
            ])
        func heldByteCount(file: (name: String, held: Int)) throws {
            let data = try #require(try Self.files.get().first { $0.name == "tiff-\(file.name).tiff" }).data
            let image = try TIFFDecoder().open(data, limits: .default)
            #expect(image.heldByteCount(frame: 0, size: image.header.storedSize, layout: .rgba8) == file.held)
        }

        @Test("floats, other inks and too few samples are unsupported, and a channel that isn't alpha is ignored")
        func samples() throws {
            let unsupported = ImageDecodingError.unsupported(.tiff, "libtiff can't convert its samples")
            for tags in [[258: 16, 339: 3], [262: 5, 277: 4, 332: 2], [262: 2], [262: 5, 277: 3]] {
                #expect(throws: unsupported) { try TIFFDecoder().open(TestTIFF.page(tags), limits: .default) }
            }
            let header = try TIFFDecoder().open(TestTIFF.page([277: 2, 338: 0]), limits: .default).header
            #expect(!header.hasAlpha)
            #expect(header.nativeLayout == .gray8)
        }

        @Test("the length of the file, its area and its profile are limited at their exact values")
        func limits() throws {
            let file = TestTIFF.page()
            func header(_ limits: DecodingLimits) throws -> ImageHeader {
                try TIFFDecoder().open(file, limits: limits).header
            }
            let exact = DecodingLimits(encodedByteLimit: file.count, maxPixels: 6, maxSide: 3, metadataByteLimit: 10)
            #expect(try header(exact).colorProfile == Data(count: 10))
            #expect(try header(DecodingLimits(metadataByteLimit: 9)).colorProfile == nil)
            #expect(throws: ImageDecodingError.limitExceeded(.encodedBytes, value: file.count, allowed: 9)) {
                try header(DecodingLimits(encodedByteLimit: 9))
            }
            #expect(throws: ImageDecodingError.limitExceeded(.pixels, value: 6, allowed: 5)) {
                try header(DecodingLimits(maxPixels: 5))
            }
        }

        @Test("no table of libtiff is larger than the memory of a decode")
        func tables() throws {
            // libtiff allocates 8 bytes for each strip.
            let file = TestTIFF.page([256: 1, 257: 900_000, 278: 1])
            let size = PixelSize(width: 1, height: 900_000)
            let limits = DecodingLimits(maxSide: 900_000, decodedByteLimit: 7_200_000)
            #expect(try TIFFDecoder().open(file, limits: limits).header.storedSize == size)
            #expect(throws: ImageDecodingError.malformed(.tiff, "libtiff can't read it")) {
                var limits = limits
                limits.decodedByteLimit -= 1
                _ = try TIFFDecoder().open(file, limits: limits)
            }
        }

        @Test("the size of a band is a number: no page has more than 33,554,431 columns, or no pixels")
        func extremes() throws {
            let limits = DecodingLimits(maxPixels: .max, maxSide: .max)
            let widest = try TIFFDecoder().open(TestTIFF.page([256: 33_554_431]), limits: limits)
            #expect(widest.header.storedSize.width == 33_554_431)
            #expect(widest.heldByteCount(frame: 0, size: widest.header.storedSize, layout: .gray8) == 33_554_431)
            for tags in [[256: 33_554_432], [256: 0], [257: 0], [257: 1 << 31, 278: 1 << 31]] {
                #expect(throws: ImageDecodingError.malformed(.tiff, "libtiff can't read it"), "\(tags)") {
                    try TIFFDecoder().open(TestTIFF.page(tags), limits: limits)
                }
            }
            // libtiff converts a page with more samples than the row of a band can have.
            #expect(try TIFFDecoder().open(TestTIFF.page([277: 64]), limits: limits).header.nativeLayout == .gray8)
            #expect(try TIFFDecoder().open(TestTIFF.page([277: 65]), limits: limits).header.nativeLayout == .rgba8)
        }

        @Test("data that isn't TIFF is malformed, not truncated")
        func otherData() {
            #expect(throws: ImageDecodingError.malformed(.tiff, "libtiff can't read it")) {
                try TIFFDecoder().open(Data("no image".utf8), limits: .default)
            }
        }

        @Test("a file that ends in its directory or in its rows is truncated")
        func truncation() throws {
            let file = TestTIFF.page()
            for count in [0, 4, 10, 24, 30, file.count - 5] {
                #expect(throws: ImageDecodingError.truncated(.tiff), "\(count) bytes") {
                    try TIFFDecoder().open(file.prefix(count), limits: .default)
                }
            }
            #expect(throws: ImageDecodingError.truncated(.tiff)) {
                try TIFFDecoder().open(Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8]), limits: .default)
            }
            // The rows are said to be where the file ends.
            var moved = file
            moved[moved.startIndex + 24 + 2 + 5 * 12 + 8] = UInt8(file.count - 1)
            let image = try TIFFDecoder().open(moved, limits: .default)
            #expect(throws: ImageDecodingError.truncated(.tiff)) {
                try image.decode(frame: 0, size: image.header.size, layout: .rgba8, into: CollectingRowSink())
            }
        }

        @Test("there is one frame, in the layout of the page or RGBA")
        func frames() throws {
            let image = try TIFFDecoder().open(TestTIFF.page(), limits: .default)
            let (size, sink) = (image.header.size, CollectingRowSink())
            #expect(throws: ImageDecodingError.noSuchFrame(1, frameCount: 1)) {
                try image.decode(frame: 1, size: size, layout: .rgba8, into: sink)
            }
            let text = "it can only be decoded in its size, to RGBA or \(PixelLayout.gray8)"
            for (size, layout) in [(size, PixelLayout.cmyk8), (PixelSize(width: 3, height: 1), .rgba8)] {
                #expect(throws: ImageDecodingError.unsupported(.tiff, text)) {
                    try image.decode(frame: 0, size: size, layout: layout, into: sink)
                }
            }
        }

        @Test("the orientation is that of the page, and 0 can be white")
        func tags() throws {
            let image = try TIFFDecoder().open(TestTIFF.page([262: 0, 274: 6]), limits: .default)
            #expect(image.header.orientation == .right)
            let sink = CollectingRowSink()
            try image.decode(frame: 0, size: image.header.storedSize, layout: .gray8, into: sink)
            #expect(sink.pixels == [255, 205, 155, 105, 55, 0])
        }

        @Test("decoding is cancelled before each row", arguments: 1...2)
        func cancellation(check: Int) throws {
            let image = try TIFFDecoder().open(TestTIFF.page(), limits: .default)
            let sink = CancellingSink(atCheck: check)
            #expect(throws: ImageDecodingError.cancelled) {
                try image.decode(frame: 0, size: image.header.size, layout: .rgba8, into: sink)
            }
            #expect(sink.rows == check - 1)
        }
    }

    /// Decodes with its own limits.
    private struct LimitedDecoder: ImageDecoder {
        let limits: DecodingLimits
        var format: ImageFormat { .tiff }

        func recognizes(_ prefix: Data) -> Bool { TIFFDecoder().recognizes(prefix) }

        func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
            try TIFFDecoder().open(data, limits: self.limits)
        }
    }
#endif
