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
