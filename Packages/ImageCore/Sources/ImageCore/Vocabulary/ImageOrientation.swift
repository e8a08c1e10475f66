/// The orientation of a stored image: the values of the Exif tag 0x0112 (CIPA DC-008, section 4.6.4).
public enum ImageOrientation: Int, Sendable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8

    /// Whether width and height are exchanged in the upright image.
    public var swapsAxes: Bool { rawValue >= 5 }
}
