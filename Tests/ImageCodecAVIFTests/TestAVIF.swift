#if AVIF
    import CTestAVIF
    import Foundation
    import GeneratedImages
    import ImageCodecAVIF
    import ImageCore
    import Testing

    /// The planes of an image, which libavif writes to a lossless file.
    struct TestAVIF {
        var settings: test_avif_settings
        /// Luma, the two chroma planes and alpha; empty where there are none.
        var y, u, v, a: [UInt16]
        var profile = Data()
        var exif = Data()

        /// Creates an image from functions of the position in each plane, with values from 0 to 1.
        init(
            _ width: Int, _ height: Int, depth: Int = 8, format: Int = 444, isFullRange: Bool = true, matrix: Int = 6,
            luma: (Int, Int) -> Double, chroma: (Int, Int) -> (Double, Double) = { _, _ in (0.5, 0.5) },
            alpha: ((Int, Int) -> Double)? = nil
        ) {
            settings = test_avif_settings()
            (settings.width, settings.height) = (UInt32(width), UInt32(height))
            (settings.depth, settings.format, settings.is_full_range) = (CInt(depth), CInt(format), isFullRange ? 1 : 0)
            (settings.primaries, settings.transfer, settings.matrix) = (1, 13, CInt(matrix))
            (settings.rotation, settings.mirror, settings.frame_count) = (-1, -1, 1)
            settings.has_alpha = alpha == nil ? 0 : 1
            let largest = Double(1 << depth - 1)
            func plane(_ width: Int, _ height: Int, _ value: (Int, Int) -> Double) -> [UInt16] {
                (0..<height * width).map { index -> UInt16 in
                    let sample: Double = value(index % width, index / width) * largest
                    return UInt16(sample.rounded())
                }
            }
            y = plane(width, height, luma)
            let chromaWidth = format == 444 ? width : (width + 1) / 2
            let chromaHeight = format == 420 ? (height + 1) / 2 : height
            u = format == 400 ? [] : plane(chromaWidth, chromaHeight) { chroma($0, $1).0 }
            v = format == 400 ? [] : plane(chromaWidth, chromaHeight) { chroma($0, $1).1 }
            a = alpha.map { plane(width, height, $0) } ?? []
        }

        /// Returns an image with gradients and fine detail in all planes.
        static func detailed(
            _ width: Int, _ height: Int, depth: Int = 8, format: Int = 444, hasAlpha: Bool = false
        ) -> TestAVIF {
            TestAVIF(
                width, height, depth: depth, format: format,
                luma: { x, y in fraction(x * 7 + y * 13 + x * y, of: 61) },
                chroma: { x, y in (fraction(x * 5 + y * 3, of: 47), fraction(x + y * 11, of: 37)) },
                alpha: hasAlpha ? { x, y in fraction(x * 3 + y * 5, of: 52) } : nil)
        }

        private static func fraction(_ value: Int, of period: Int) -> Double {
            Double(value % period) / Double(period - 1)
        }

        /// Returns the file.
        func file() throws -> Data {
            var length = 0
            let (profile, exif) = (Array(profile), Array(exif))
            let bytes = unsafe test_avif_write(
                settings, y, u, v, a, profile, profile.count, exif, exif.count, &length)
            let first = try unsafe #require(bytes)
            defer { unsafe test_avif_free(first) }
            return unsafe Data(bytes: first, count: length)
        }
    }

    let avif = FileReading(AVIFDecoder())

    extension FileReading {
        /// Returns the pixels of the whole image, which libavif converts at once.
        func wholeImage(_ data: Data, size: PixelSize, frame: Int = 0) throws -> [UInt8] {
            var pixels = [UInt8](repeating: 0, count: 4 * size.area)
            let bytes = Array(data)
            let isRead = unsafe test_avif_read(bytes, bytes.count, UInt32(frame), &pixels, pixels.count)
            try #require(isRead != 0)
            return pixels
        }
    }
#endif
