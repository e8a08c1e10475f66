#if TIFF
    import Foundation
    import ImageCodecTIFF
    import ImageCore
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
