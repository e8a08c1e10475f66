#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a file says about its image before any pixel is decoded.
public struct ImageHeader: Hashable, Sendable {
    public var format: ImageFormat
    /// Size as stored, before `orientation` is applied. For animations, the canvas.
    public var storedSize: PixelSize
    /// The orientation tag as found; `.up` when there is none or it can't be read.
    public var orientation: ImageOrientation
    /// How long each frame stays, one value per frame; empty for a still image.
    ///
    /// Values are as browsers play them: 0 and 10 ms become 100 ms.
    public var frameDelays: [Duration]
    /// How many times the animation plays; 0 is for ever, 1 for a still image.
    public var loopCount: Int
    public var frameCount: Int
    /// True when the file has an alpha channel or a transparent colour, used or not.
    public var hasAlpha: Bool
    /// The embedded ICC profile as stored, or nil.
    public var colorProfile: Data?
    /// The layout in which `colorProfile` can be applied: the one that the file's own colour model needs.
    public var nativeLayout: PixelLayout
    /// What the pixels' numbers mean where the file says so without a profile; nil when they are as good as sRGB or when
    /// there is a profile, which then counts. For rows of `.rgba8`.
    public var colorCalibration: ColorCalibration?

    public init(
        format: ImageFormat, storedSize: PixelSize, orientation: ImageOrientation = .up, frameCount: Int = 1,
        frameDelays: [Duration] = [], loopCount: Int = 1, hasAlpha: Bool = false, colorProfile: Data? = nil,
        nativeLayout: PixelLayout = .rgba8, colorCalibration: ColorCalibration? = nil
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.frameCount = frameCount
        self.frameDelays = frameDelays
        self.loopCount = loopCount
        self.hasAlpha = hasAlpha
        self.colorProfile = colorProfile
        self.nativeLayout = nativeLayout
        self.colorCalibration = colorCalibration
    }

    /// Size of the upright image.
    public var size: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }
}

/// How the bytes of a row of pixels are to be read. All channels have 8 bits.
public enum PixelLayout: Sendable, Hashable {
    /// Red, green, blue, straight alpha.
    case rgba8
    case gray8
    case grayAlpha8
    /// Cyan, magenta, yellow, black; 0 is no ink, 255 full ink.
    case cmyk8

    public var bytesPerPixel: Int {
        switch self {
        case .gray8: 1
        case .grayAlpha8: 2
        case .rgba8, .cmyk8: 4
        }
    }
}
