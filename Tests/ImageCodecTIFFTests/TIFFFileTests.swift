#if TIFF
    import Foundation
    import GeneratedImages
    import ImageCodecTIFF
    import ImageCore
    import ImageTesting
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

        @Test("floats and other inks are unsupported, and a channel that isn't alpha is ignored")
        func samples() throws {
            let unsupported = ImageDecodingError.unsupported(.tiff, "libtiff can't convert its samples")
            for tags in [[258: 16, 339: 3], [262: 5, 277: 4, 332: 2]] {
                #expect(throws: unsupported) { try TIFFDecoder().open(Self.gray(tags), limits: .default) }
            }
            let header = try TIFFDecoder().open(Self.gray([277: 2, 338: 0]), limits: .default).header
            #expect(!header.hasAlpha && header.nativeLayout == .gray8)
        }

        /// Returns a page of 2 rows of 3 gray bytes, with a profile of 10 bytes.
        ///
        /// - Parameter changes: Other values of tags.
        private static func gray(_ changes: [Int: Int] = [:]) -> Data {
            func number(_ value: Int, _ count: Int) -> Data { Data((0..<count).map { UInt8(value >> (8 * $0) & 255) }) }
            // The pixels follow the header, then the profile and the directory.
            var tags = [
                (256, 4, 1, 3), (257, 4, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8),
                (277, 3, 1, 1), (278, 4, 1, 2), (279, 4, 1, 6), (34_675, 7, 10, 14),
            ]
            tags.removeAll { changes[$0.0] != nil }
            tags = (tags + changes.map { ($0, 3, 1, $1) }).sorted { $0.0 < $1.0 }
            let entries = tags.map { number($0.0, 2) + number($0.1, 2) + number($0.2, 4) + number($0.3, 4) }
            return Data([0x49, 0x49, 42, 0]) + number(24, 4) + Data([0, 50, 100, 150, 200, 255]) + Data(count: 10)
                + number(tags.count, 2) + Data(entries.joined()) + number(0, 4)
        }

        @Test("the length of the file, its area and its profile are limited at their exact values")
        func limits() throws {
            let file = Self.gray()
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

        @Test("a file that ends in its directory or in its rows is truncated")
        func truncation() throws {
            let file = Self.gray()
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
            #expect(throws: ImageDecodingError.truncated(.tiff)) {
                let image = try TIFFDecoder().open(moved, limits: .default)
                try image.decode(frame: 0, size: image.header.size, layout: .rgba8, into: CollectingRowSink())
            }
        }

        @Test("there is one frame, in the layout of the page or RGBA")
        func frames() throws {
            let image = try TIFFDecoder().open(Self.gray(), limits: .default)
            let (size, sink) = (image.header.size, CollectingRowSink())
            #expect(throws: ImageDecodingError.noSuchFrame(1, frameCount: 1)) {
                try image.decode(frame: 1, size: size, layout: .rgba8, into: sink)
            }
            let text = "it can only be decoded in its size, to RGBA or \(PixelLayout.gray8)"
            #expect(throws: ImageDecodingError.unsupported(.tiff, text)) {
                try image.decode(frame: 0, size: size, layout: .cmyk8, into: sink)
            }
        }

        @Test("the orientation is that of the page, and 0 can be white")
        func tags() throws {
            let image = try TIFFDecoder().open(Self.gray([262: 0, 274: 6]), limits: .default)
            #expect(image.header.orientation == .right)
            let sink = CollectingRowSink()
            try image.decode(frame: 0, size: image.header.storedSize, layout: .gray8, into: sink)
            #expect(sink.pixels == [255, 205, 155, 105, 55, 0])
        }

        @Test("decoding is cancelled before each row", arguments: 1...2)
        func cancellation(check: Int) throws {
            let image = try TIFFDecoder().open(Self.gray(), limits: .default)
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
