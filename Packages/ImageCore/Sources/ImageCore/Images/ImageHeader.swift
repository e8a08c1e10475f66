/// The header of an image file.
public struct ImageHeader: Hashable, Sendable {
    /// The file format.
    public var format: ImageFormat
    /// The stored size, before `orientation` is applied. For animations, the canvas.
    public var storedSize: PixelSize
    /// The orientation tag; `.up` if there is none or it can't be read.
    public var orientation: ImageOrientation
    /// The duration of each frame; empty for a still image. As in browsers, 0 and 10 ms become 100 ms.
    public var frameDelays: [Duration]
    /// The number of times that the animation plays; 0 if it repeats forever, 1 for a still image.
    public var loopCount: Int
    /// The number of frames, 1 for a still image.
    public var frameCount: Int
    /// Whether the file has an alpha channel or a transparent color, used or not.
    public var hasAlpha: Bool
    /// The color of the samples.
    public var color: SourceColor
    /// The layout in which to ask the codec for rows, so that a color converter can apply `color` to them.
    ///
    /// It has the channels of the file: `.gray8` and `.grayAlpha8` for gray, `.cmyk8` for CMYK, otherwise `.rgba8`, or
    /// `.rgba16` for HDR. In any other layout, the codec has converted the channels, and `color` doesn't apply.
    public var nativeLayout: PixelLayout
    /// Whether the file has a gain map, by which HDR displays show it brighter. It is decoded as its base image.
    public var hasGainMap: Bool

    /// Creates a header; by default of a still, opaque image in sRGB.
    public init(
        format: ImageFormat, storedSize: PixelSize, orientation: ImageOrientation = .up, frameCount: Int = 1,
        frameDelays: [Duration] = [], loopCount: Int = 1, hasAlpha: Bool = false, color: SourceColor = .sRGB,
        nativeLayout: PixelLayout = .rgba8, hasGainMap: Bool = false
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.frameCount = frameCount
        self.frameDelays = frameDelays
        self.loopCount = loopCount
        self.hasAlpha = hasAlpha
        self.color = color
        self.nativeLayout = nativeLayout
        self.hasGainMap = hasGainMap
    }

    /// The size of the upright image.
    public var size: PixelSize { orientation.swapsAxes ? storedSize.transposed : storedSize }

    /// Returns the place of a part of the upright image in the stored one (Exif 2.32, CIPA DC-008, 4.6.4, tag 0x0112).
    package func storedArea(of part: PixelArea) -> PixelArea {
        var area = part
        if orientation.swapsAxes {
            area = PixelArea(left: part.top, top: part.left, width: part.height, height: part.width)
        }
        if [.upMirrored, .down, .rightMirrored, .left].contains(orientation) {
            area.left = storedSize.width - area.left - area.width
        }
        if [.down, .downMirrored, .right, .rightMirrored].contains(orientation) {
            area.top = storedSize.height - area.top - area.height
        }
        return area
    }

    /// The embedded ICC profile as stored, or nil.
    public var colorProfile: Data? { color.profile }
}

extension Duration {
    /// The time for which a frame with this delay is shown. As in browsers, up to 10 ms become 100 ms.
    package var shownDelay: Duration { self <= .milliseconds(10) ? .milliseconds(100) : self }
}

/// The layout of pixels in a row.
@nonexhaustive
public enum PixelLayout: Sendable, Hashable {
    /// Red, green, blue and straight alpha.
    case rgba8
    /// Gray.
    case gray8
    /// Gray and straight alpha.
    case grayAlpha8
    /// Cyan, magenta, yellow and black, from 0 (no ink) to 255 (full ink).
    case cmyk8
    /// Red, green, blue and straight alpha, with 16 bits in the byte order of the processor.
    case rgba16

    /// The number of bytes per pixel.
    public var bytesPerPixel: Int {
        switch self {
        case .gray8: 1
        case .grayAlpha8: 2
        case .rgba8, .cmyk8: 4
        case .rgba16: 8
        }
    }
}

/// The orientation of a stored image. Raw values are those of the Exif tag 0x0112 (CIPA DC-008, section 4.6.4).
public enum ImageOrientation: Int, Sendable, CaseIterable {
    /// Row 0 is at the top, and column 0 at the left.
    case up = 1
    /// Row 0 is at the top, and column 0 at the right.
    case upMirrored = 2
    /// Row 0 is at the bottom, and column 0 at the right.
    case down = 3
    /// Row 0 is at the bottom, and column 0 at the left.
    case downMirrored = 4
    /// Row 0 is at the left, and column 0 at the top.
    case leftMirrored = 5
    /// Row 0 is at the right, and column 0 at the top.
    case right = 6
    /// Row 0 is at the right, and column 0 at the bottom.
    case rightMirrored = 7
    /// Row 0 is at the left, and column 0 at the bottom.
    case left = 8

    /// Whether width and height are exchanged in the upright image.
    public var swapsAxes: Bool { rawValue >= 5 }
}
