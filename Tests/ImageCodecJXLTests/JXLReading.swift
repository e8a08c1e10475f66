#if JXL
    import GeneratedImages
    import ImageCodecJXL
    import ImageCore
    import ImageTesting

    let jxl = FileReading(JXLDecoder())

    /// Samples of test images.
    enum JXLSamples {
        static let size = PixelSize(width: 40, height: 26)

        /// Returns smooth samples with some noise, from 0 to `maximum`. The alpha channel has every value.
        static func values(_ size: PixelSize = size, channels: Int, maximum: Int = 255, seed: Int = 0) -> [Int] {
            var values: [Int] = []
            var random = SeededRandom(seed: UInt64(seed))
            for y in 0..<size.height {
                for x in 0..<size.width {
                    for channel in 0..<channels {
                        let isAlpha = channel == channels - 1 && channels % 2 == 0
                        let slope =
                            isAlpha
                            ? x * maximum / max(1, size.width - 1) : (x + (channel + 1) * y + seed * 9) * maximum / 160
                        let noise = isAlpha ? 0 : Int.random(in: 0...maximum / 40, using: &random)
                        values.append(min(maximum, max(0, slope % (maximum + 1) + noise)))
                    }
                }
            }
            return values
        }

        static func bytes(_ size: PixelSize = size, channels: Int, seed: Int = 0) -> [UInt8] {
            values(size, channels: channels, seed: seed).map { UInt8($0) }
        }

        /// Returns RGBA of samples from 0 to `maximum`, rounded to 8 bits.
        static func rgba(_ values: [Int], channels: Int, maximum: Int = 255) -> [UInt8] {
            let bytes = values.map { UInt8((Double($0) * 255 / Double(maximum)).rounded()) }
            return stride(from: 0, to: bytes.count, by: channels).flatMap { start -> [UInt8] in
                let alpha = channels % 2 == 0 ? bytes[start + channels - 1] : 255
                let green = channels < 3 ? start : start + 1
                let blue = channels < 3 ? start : start + 2
                return [bytes[start], bytes[green], bytes[blue], alpha]
            }
        }

        static func bitmap(_ size: PixelSize = size, hasAlpha: Bool = false, seed: Int = 0) -> Bitmap {
            let channels = hasAlpha ? 4 : 3
            let pixels = rgba(values(size, channels: channels, seed: seed), channels: channels)
            return Bitmap(size: size, pixels: pixels, isOpaque: !hasAlpha)
        }
    }
#endif
