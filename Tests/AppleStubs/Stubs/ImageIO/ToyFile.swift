public import CoreGraphics
public import Foundation

/// The only files that the fake ImageIO reads and writes: pixels behind the signature of a real format.
///
/// ```text
/// 0   the signature, padded to 16 bytes
/// 16  width and height, two bytes each; the numbers of frames and loops (255: none), flags (1: alpha, 2: Display P3,
///     4: a gain map, 8: progressive), and the orientation, one byte each
/// 24  for each frame: its delay in hundredths of a second, two bytes, and its straight RGBA pixels
/// ```
public struct ToyFile {
    public var type: String
    public var width: Int
    public var height: Int
    public var loopCount: Int?
    public var hasAlpha = false
    public var isDisplayP3 = false
    public var hasGainMap = false
    public var isProgressive = false
    public var orientation = 1
    public var frames: [Frame] = []

    public struct Frame {
        public var hundredths: Int
        public var pixels: [UInt8]
        /// Whether the file ends before the pixels do. The missing ones are zero.
        var isTruncated = false

        public init(hundredths: Int = 0, pixels: [UInt8]) {
            self.hundredths = hundredths
            self.pixels = pixels
        }
    }

    public init(type: String, width: Int, height: Int, frames: [Frame]) {
        self.type = type
        self.width = width
        self.height = height
        self.frames = frames
    }

    static let signatures: [String: [UInt8]] = [
        "public.jpeg": [0xFF, 0xD8, 0xFF], "public.png": [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
        "org.webmproject.webp": Array("RIFF----WEBP".utf8), "com.compuserve.gif": Array("GIF89a".utf8),
        "public.tiff": [0x49, 0x49, 42, 0], "public.heic": [0, 0, 0, 16] + Array("ftypheic".utf8),
        "public.avif": [0, 0, 0, 16] + Array("ftypavif".utf8),
    ]

    static func type(_ data: Data) -> String? { signatures.first { data.starts(with: $0.value) }?.key }

    /// Returns nil if the signature is unknown or the header incomplete.
    public init?(_ data: Data) {
        let bytes = [UInt8](data)
        guard let type = Self.type(data), bytes.count >= 24 else { return nil }
        self.init(type: type, width: bytes.number(16), height: bytes.number(18), frames: [])
        loopCount = bytes[21] == 255 ? nil : Int(bytes[21])
        hasAlpha = bytes[22] & 1 != 0
        isDisplayP3 = bytes[22] & 2 != 0
        hasGainMap = bytes[22] & 4 != 0
        isProgressive = bytes[22] & 8 != 0
        orientation = Int(bytes[23])
        let length = width * height * 4
        for number in 0..<Int(bytes[20]) {
            let start = 24 + number * (length + 2)
            let pixels = bytes.dropFirst(start + 2).prefix(length)
            let missing = [UInt8](repeating: 0, count: length - pixels.count)
            var frame = Frame(hundredths: start + 2 <= bytes.count ? bytes.number(start) : 0, pixels: pixels + missing)
            frame.isTruncated = !missing.isEmpty
            frames.append(frame)
        }
    }

    /// The keys of animations in a format.
    struct AnimationKeys {
        let dictionary: CFString
        let loopCount: CFString
        let delay: CFString
        /// The delay in files that are written. WebP isn't written.
        var writtenDelay: CFString = ""
    }

    static func animationKeys(_ type: String) -> AnimationKeys? {
        switch type {
        case "com.compuserve.gif":
            AnimationKeys(
                dictionary: kCGImagePropertyGIFDictionary, loopCount: kCGImagePropertyGIFLoopCount,
                delay: kCGImagePropertyGIFUnclampedDelayTime, writtenDelay: kCGImagePropertyGIFDelayTime)
        case "public.png":
            AnimationKeys(
                dictionary: kCGImagePropertyPNGDictionary, loopCount: kCGImagePropertyAPNGLoopCount,
                delay: kCGImagePropertyAPNGUnclampedDelayTime, writtenDelay: kCGImagePropertyAPNGDelayTime)
        case "org.webmproject.webp":
            AnimationKeys(
                dictionary: kCGImagePropertyWebPDictionary, loopCount: kCGImagePropertyWebPLoopCount,
                delay: kCGImagePropertyWebPUnclampedDelayTime)
        default: nil
        }
    }

    public var data: Data {
        var bytes = Self.signatures[type] ?? []
        bytes += [UInt8](repeating: 0, count: 16 - bytes.count)
        bytes += bytesOf(width) + bytesOf(height)
        var flags: UInt8 = (hasAlpha ? 1 : 0) | (isDisplayP3 ? 2 : 0)
        flags |= (hasGainMap ? 4 : 0) | (isProgressive ? 8 : 0)
        bytes += [UInt8(frames.count), UInt8(loopCount ?? 255), flags, UInt8(orientation)]
        for frame in frames { bytes += bytesOf(frame.hundredths) + frame.pixels }
        return Data(bytes)
    }

    private func bytesOf(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
}

extension [UInt8] {
    fileprivate func number(_ index: Int) -> Int { Int(self[index]) << 8 | Int(self[index + 1]) }
}
