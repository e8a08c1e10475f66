#if JXL
    import Foundation
    import ImageCodecJXL
    import ImageCore
    import ImageTesting
    import TestJXL

    enum JXLReading {
        static func open(_ data: Data, limits: DecodingLimits = .default) throws(DecodingFailure) -> any OpenedImage {
            try JXLDecoder().open(data, limits: limits)
        }

        /// Returns the decoded rows, and the error that ended decoding.
        static func rows(
            _ data: Data, frame: Int = 0, limits: DecodingLimits = .default
        ) -> (rows: [[UInt8]], failure: DecodingFailure?) {
            let sink = CollectingRowSink()
            do throws(DecodingFailure) {
                let image = try open(data, limits: limits)
                try image.decode(frame: frame, size: image.header.storedSize, layout: .rgba8, into: sink)
                return (sink.rows, nil)
            } catch {
                return (sink.rows, error)
            }
        }

        static func pixels(
            _ image: any OpenedImage, frame: Int = 0, layout: PixelLayout = .rgba8
        ) throws(DecodingFailure) -> [UInt8] {
            let sink = CollectingRowSink()
            try image.decode(frame: frame, size: image.header.storedSize, layout: layout, into: sink)
            return sink.pixels
        }

        static func pixels(_ data: Data, frame: Int = 0) throws(DecodingFailure) -> [UInt8] {
            try pixels(try open(data), frame: frame)
        }
    }

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

        /// Returns the largest difference of two samples, or 256 if their numbers differ. Comparing the arrays would take
        /// minutes when they differ, because Swift Testing then looks for the shortest list of changes.
        static func difference(_ first: some Sequence<UInt8>, _ second: some Sequence<UInt8>) -> Int {
            let (first, second) = (Array(first), Array(second))
            guard first.count == second.count else { return 256 }
            return zip(first, second).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
        }

        /// Returns the peak signal-to-noise ratio in dB.
        static func psnr(_ first: [UInt8], _ second: [UInt8]) -> Double {
            guard first.count == second.count, !first.isEmpty else { return 0 }
            let squares = zip(first, second).reduce(0.0) { sum, pair in
                let difference = Double(pair.0) - Double(pair.1)
                return sum + difference * difference
            }
            return squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(first.count) / squares)
        }

        static func bitmap(_ size: PixelSize = size, hasAlpha: Bool = false, seed: Int = 0) -> Bitmap {
            let channels = hasAlpha ? 4 : 3
            let pixels = rgba(values(size, channels: channels, seed: seed), channels: channels)
            return Bitmap(size: size, pixels: pixels, isOpaque: !hasAlpha)
        }
    }
#endif
