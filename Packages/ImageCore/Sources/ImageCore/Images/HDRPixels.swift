/// The brightness of an image, for displays of high dynamic range.
public struct DynamicRange: Hashable, Sendable {
    /// The brightness of the brightest light, as a multiple of that of white: at least 1.
    public let headroom: Double

    /// Creates a range.
    ///
    /// - Parameter headroom: That of the display, for example `UIScreen.potentialEDRHeadroom`. Values below 1 and NaN
    ///   count as 1.
    public init(headroom: Double) { self.headroom = headroom >= 1 ? headroom : 1 }

    /// No light is brighter than white.
    public static let standard = DynamicRange(headroom: 1)
    /// All the brightness that a file has. What shows the image has to reduce it to that of its display.
    public static let high = DynamicRange(headroom: .infinity)
}

/// The pixels of an image for displays of high dynamic range.
///
/// Their color space has the primaries of Display P3 and the transfer function PQ (SMPTE ST 2084; ITU-R BT.2100, table 4):
/// the code points 12 and 16 of ITU-T H.273, and `CGColorSpace.displayP3_PQ`. White is 203 cd/m² (ITU-R BT.2408).
public struct HDRPixels: Hashable, Sendable {
    /// Red, green, blue and straight alpha of each pixel, from 0 to 65,535. Rows are from top to bottom, without padding.
    public let samples: [UInt16]
    /// The brightest light that the pixels can have, as a multiple of white.
    public let headroom: Double

    /// Creates pixels from the values of the properties.
    package init(samples: [UInt16], headroom: Double) {
        self.samples = samples
        self.headroom = headroom
    }

    /// The luminance of white in cd/m².
    package static let white = 203.0
}
