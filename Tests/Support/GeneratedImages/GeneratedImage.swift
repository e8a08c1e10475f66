public import Foundation
public import ImageCore
import ImageTesting

/// A small valid file, made by this package's encoders or by the builders of this target.
public struct GeneratedImage: Sendable, CustomStringConvertible {
    /// Describes the file. Can be part of a file name.
    public let name: String
    /// The format of the file.
    public let format: ImageFormat
    /// The bytes of the file.
    public let data: Data

    init(_ name: String, _ format: ImageFormat, _ data: Data) {
        self.name = name
        self.format = format
        self.data = data
    }

    public var description: String { "\(format)/\(name)" }

    /// Returns one file of each supported kind, of a few hundred bytes if possible. The files are always the same.
    public static func all() throws -> [GeneratedImage] {
        try jpegs() + pngs() + webps() + gifs() + optional()
    }

    /// Returns lossy and lossless files with and without alpha, still and animated.
    static func encoded(
        by encoder: some ImageEncoder, quality: Double = 0.5, isAnimated: Bool = true
    ) throws -> [GeneratedImage] {
        var images: [GeneratedImage] = []
        for (isLossless, hasAlpha) in [(false, false), (false, true), (true, false), (true, true)] {
            let options = EncodingOptions(quality: quality, isLossless: isLossless)
            let name = "\(isLossless ? "lossless" : "lossy")\(hasAlpha ? "-alpha" : "")"
            let still = try encoder.encode(Scene.bitmap(hasAlpha: hasAlpha), options: options)
            images.append(GeneratedImage(name, encoder.format, still))
            guard isAnimated else { continue }
            let moving = try encoder.encode(Scene.frames(hasAlpha: hasAlpha), loopCount: 2, options: options)
            images.append(GeneratedImage("\(name)-animated", encoder.format, moving))
        }
        return images
    }

    /// Returns files in the formats of enabled traits.
    private static func optional() throws -> [GeneratedImage] {
        var images: [GeneratedImage] = []
        #if AVIF
            images += try avifs()
        #endif
        #if HEIF
            images += try heifs()
        #endif
        #if JXL
            images += try jxls()
        #endif
        return images
    }

    /// Returns Exif data in both byte orders.
    public static func exifBlocks() -> [(name: String, data: Data)] {
        [false, true].map { isLittleEndian in
            let name = isLittleEndian ? "little-endian" : "big-endian"
            return (name, Data(Scene.exif(orientation: 5, isLittleEndian: isLittleEndian)))
        }
    }
}

/// The encoded image: a gradient with some noise, in a size that isn't a multiple of any codec's block size.
public enum Scene {
    public static func bitmap(
        _ width: Int = 17, _ height: Int = 11, hasAlpha: Bool = false, seed: UInt64 = 1
    ) -> Bitmap {
        var random = SeededRandom(seed: seed)
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let noise = UInt8.random(in: 0...30, using: &random)
                let alpha = hasAlpha ? UInt8((x * 40 + y * 23) & 255) : 255
                pixels += [UInt8(x * 255 / width), UInt8(y * 255 / height), noise, alpha]
            }
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: !hasAlpha)
    }

    public static func frames(hasAlpha: Bool = false) -> [AnimationFrame] {
        (0..<3).map { index in
            AnimationFrame(bitmap: bitmap(hasAlpha: hasAlpha, seed: index + 1), delay: .milliseconds(30 * index))
        }
    }

    /// Returns a TIFF directory whose only entry is the orientation (TIFF 6.0, 2).
    static func exif(orientation: UInt8, isLittleEndian: Bool = false) -> [UInt8] {
        isLittleEndian
            ? [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
            : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    }

    /// Returns a directory with an orientation, and a second one that points to the thumbnail after it (CIPA DC-008, 4.6.2).
    static func exif(thumbnail: Data) -> [UInt8] {
        func long(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) } }
        let first: [UInt8] =
            [0x4D, 0x4D, 0, 42] + long(8) + [0, 1, 1, 0x12, 0, 3] + long(1) + [0, 6, 0, 0] + long(26)
        let entries: [UInt8] =
            [0, 2, 2, 1, 0, 4] + long(1) + long(56) + [2, 2, 0, 4] + long(1) + long(thumbnail.count)
        return first + entries + long(0) + Array(thumbnail)
    }
}
