import Foundation
import ImageCodecJPEG
import ImageCore

/// A generated image with the smoothness, texture and edges of a photograph. It is the same in each run.
enum Photograph {
    /// Returns a baseline JPEG of 1280 by 960 pixels, about 200 kB.
    static func jpeg() throws -> Data {
        try JPEGEncoder().encode(bitmap(PixelSize(width: 1280, height: 960)), options: EncodingOptions(quality: 0.86))
    }

    static func bitmap(_ size: PixelSize) -> Bitmap {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.area * 4)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let shade = light(Double(x) / Double(size.width), Double(y) / Double(size.height), x, y)
                pixels.append(contentsOf: [shade.0, shade.1, shade.2, 255])
            }
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    /// Returns the frames of a view that pans over a wide image by four pixels per frame.
    static func pan(_ size: PixelSize, frames: Int) -> [AnimationFrame] {
        let wide = bitmap(PixelSize(width: size.width + 4 * frames, height: size.height))
        return (0..<frames).map { number in
            let rows = (0..<size.height).map { y in
                let start = y * wide.bytesPerRow + number * 16
                return wide.pixels[start..<start + size.width * 4]
            }
            let view = Bitmap(size: size, pixels: Array(rows.joined()), isOpaque: true)
            return AnimationFrame(bitmap: view, delay: .milliseconds(40))
        }
    }

    /// Returns the color at a point. There is an edge between sky and ground, and both have waves and grain.
    private static func light(_ u: Double, _ v: Double, _ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8) {
        let horizon = 0.55 + 0.06 * sin(u * 9) + 0.02 * sin(u * 41)
        let wave = sin(u * 37 + v * 13) * sin(v * 29 - u * 7) + 0.5 * sin(u * 171 + v * 97)
        let grain = Double(noise(x, y) & 31) - 16
        let isSky = v < horizon
        let base = isSky ? (120 + 90 * v, 150 + 70 * v, 210.0) : (90 - 40 * v, 110 - 30 * v, 60.0)
        let gain = isSky ? 10.0 : 34.0
        func channel(_ value: Double) -> UInt8 {
            UInt8(max(0, min(255, value + wave * gain + grain * (isSky ? 0.3 : 1))))
        }
        return (channel(base.0), channel(base.1), channel(base.2))
    }

    /// Returns a hash of the coordinates.
    private static func noise(_ x: Int, _ y: Int) -> UInt32 {
        var value = UInt32(truncatingIfNeeded: x) &* 0x9E37_79B1 ^ UInt32(truncatingIfNeeded: y) &* 0x85EB_CA77
        value ^= value >> 15
        value &*= 0x2C1B_3C6D
        return value ^ value >> 13
    }
}

/// The images of `Apps/Benchmarks/Scripts/bench-feed`: `benchmarks feed-images FOLDER COUNT MEGAPIXELS`.
enum FeedImages {
    /// Writes JPEGs of different sizes, from 0.4 to 1.6 times the mean, as 0.jpg and so on. Returns false if the arguments
    /// are invalid.
    static func write(_ arguments: [String]) throws -> Bool {
        guard arguments.count == 3, let count = Int(arguments[1]), count > 1, let megapixels = Double(arguments[2]),
            (0.1...100).contains(megapixels)
        else {
            print("usage: benchmarks feed-images FOLDER COUNT MEGAPIXELS")
            return false
        }
        let folder = URL(filePath: arguments[0])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 0..<count {
            let share = 0.4 + 1.2 * Double(number) / Double(count - 1)
            let side = (megapixels * 1e6 * share / 12).squareRoot()
            let size = PixelSize(width: Int(side * 4), height: Int(side * 3))
            let jpeg = try JPEGEncoder().encode(Photograph.bitmap(size), options: EncodingOptions(quality: 0.85))
            try jpeg.write(to: folder.appending(path: "\(number).jpg"))
        }
        return true
    }
}
