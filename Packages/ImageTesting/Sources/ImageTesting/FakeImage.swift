package import ImageCore

extension ImageFormat {
    /// The format of `FakeImage`. No real decoder supports it.
    package static let fake = ImageFormat(rawValue: "fake")
}

/// An image in a minimal format for tests of caches, loaders and decoders, which then need no codec.
///
/// A file has these fields, with big-endian numbers:
///
/// - The signature `"FAKEPIC1"`.
/// - The width and the height, 4 bytes each.
/// - The number of frames and the loop count, 2 bytes each.
/// - The orientation, flags (1: alpha, 2: scaling) and the native layout, 1 byte each.
/// - The length of the color profile, 4 bytes.
/// - The delay of each frame in milliseconds, 2 bytes each, if there are several frames.
/// - The color profile.
/// - For each frame, a byte 0 and a single RGBA color, or a byte 1 and all pixels.
struct FakeImage: Hashable, Sendable {
    /// The stored size, before `orientation` is applied.
    var size: PixelSize
    /// The frames, in straight RGBA. Each has four bytes for a single color, or `size.area * 4` bytes.
    var frames: [[UInt8]]
    /// The delays in whole milliseconds, up to 65,535. They are only written if there are several frames.
    var delays: [Duration]
    /// The number of times that an animation plays, or 0 to play forever.
    var loopCount: Int
    /// The orientation in which to show the image.
    var orientation: ImageOrientation
    /// Whether the pixels have alpha values. Otherwise, decoders return opaque pixels.
    var hasAlpha: Bool
    /// Whether decoders offer 1/2, 1/4 and 1/8 of the size, with sides rounded up, as JPEG codecs do.
    var scales: Bool
    /// The bytes of an ICC profile, which the fake decoders don't parse.
    var colorProfile: Data?
    /// The native layout that the decoder reports.
    var nativeLayout: PixelLayout

    /// The first eight bytes of each file.
    static let signature = Data("FAKEPIC1".utf8)

    /// Creates a still image of a single color in straight RGBA.
    init(_ size: PixelSize, color: [UInt8] = [200, 100, 50, 255], orientation: ImageOrientation = .up) {
        self.init(size, frames: [color], orientation: orientation)
    }

    /// Creates an image from its frames, in straight RGBA.
    init(
        _ size: PixelSize, frames: [[UInt8]], delays: [Duration] = [], loopCount: Int = 1,
        orientation: ImageOrientation = .up, hasAlpha: Bool = false, scales: Bool = false, colorProfile: Data? = nil,
        nativeLayout: PixelLayout = .rgba8
    ) {
        self.size = size
        self.frames = frames
        self.delays = delays
        self.loopCount = loopCount
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.scales = scales
        self.colorProfile = colorProfile
        self.nativeLayout = nativeLayout
    }

    /// Returns the file of a still image of a single color.
    static func encode(width: Int, height: Int, color: [UInt8] = [200, 100, 50, 255]) -> Data {
        FakeImage(PixelSize(width: width, height: height), color: color).encoded
    }

    /// The bytes of the file.
    var encoded: Data {
        var data = Self.signature
        data.append(bigEndian: size.width, bytes: 4)
        data.append(bigEndian: size.height, bytes: 4)
        data.append(bigEndian: frames.count, bytes: 2)
        data.append(bigEndian: loopCount, bytes: 2)
        data.append(contentsOf: [UInt8(orientation.rawValue), (hasAlpha ? 1 : 0) | (scales ? 2 : 0), nativeLayout.code])
        data.append(bigEndian: colorProfile?.count ?? 0, bytes: 4)
        if frames.count > 1 {
            for index in frames.indices {
                let delay = index < delays.count ? delays[index] : .milliseconds(100)
                data.append(bigEndian: Int(delay / .milliseconds(1)), bytes: 2)
            }
        }
        data.append(colorProfile ?? Data())
        for frame in frames {
            data.append(frame.count == 4 ? 0 : 1)
            data.append(contentsOf: frame)
        }
        return data
    }
}

extension PixelLayout {
    fileprivate var code: UInt8 {
        switch self {
        case .rgba8: 0
        case .gray8: 1
        case .grayAlpha8: 2
        case .cmyk8: 3
        case .rgba16: 4
        }
    }

    init?(code: UInt8) {
        switch code {
        case 0: self = .rgba8
        case 1: self = .gray8
        case 2: self = .grayAlpha8
        case 3: self = .cmyk8
        case 4: self = .rgba16
        default: return nil
        }
    }
}

extension Data {
    fileprivate mutating func append(bigEndian value: Int, bytes: Int) {
        for index in (0..<bytes).reversed() { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}
