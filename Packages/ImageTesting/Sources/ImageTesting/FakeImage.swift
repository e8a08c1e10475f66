public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ImageFormat {
    /// The format of `FakeImage`: for tests, known to no real decoder.
    public static let fake = ImageFormat(rawValue: "fake")
}

/// An image in a tiny format of our own, so that tests of caches, loaders and decoders need no codec.
///
/// All numbers are big-endian. `"FAKEPIC1"`, width and height (4 bytes each), number of frames, loop count (2 each),
/// orientation, flags, native layout (1 each), length of the colour profile (4), one delay in milliseconds (2) a frame
/// when there are several, the profile, and for each frame a byte that tells whether one RGBA colour follows (0) or all
/// pixels (1).
public struct FakeImage: Hashable, Sendable {
    /// Size as stored, before `orientation`.
    public var size: PixelSize
    /// Each frame is four bytes, one straight RGBA colour for all of it, or `size.area * 4` bytes.
    public var frames: [[UInt8]]
    /// Whole milliseconds up to 65,535; used when there are several frames.
    public var delays: [Duration]
    public var loopCount: Int
    public var orientation: ImageOrientation
    public var hasAlpha: Bool
    /// Whether the decoder offers 1/2, 1/4 and 1/8 of the size while decoding, sides rounded up, as JPEG codecs do.
    public var scales: Bool
    public var colorProfile: Data?
    public var nativeLayout: PixelLayout

    public static let signature = Data("FAKEPIC1".utf8)
    static let fixedByteCount = 27

    /// A still image of one straight RGBA colour.
    public init(_ size: PixelSize, color: [UInt8] = [200, 100, 50, 255], orientation: ImageOrientation = .up) {
        self.init(size, frames: [color], orientation: orientation)
    }

    public init(
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

    /// The file of a still image of one colour.
    public static func encode(width: Int, height: Int, color: [UInt8] = [200, 100, 50, 255]) -> Data {
        FakeImage(PixelSize(width: width, height: height), color: color).encoded
    }

    /// The whole file.
    public var encoded: Data {
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
        }
    }

    init?(code: UInt8) {
        switch code {
        case 0: self = .rgba8
        case 1: self = .gray8
        case 2: self = .grayAlpha8
        case 3: self = .cmyk8
        default: return nil
        }
    }
}

extension Data {
    fileprivate mutating func append(bigEndian value: Int, bytes: Int) {
        for index in (0..<bytes).reversed() { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
}
