/// The part of an image that is kept when it is cropped, and the position of an image that is extended.
struct Gravity: Hashable, Sendable {
    enum Anchor: String, Hashable, Sendable, CaseIterable {
        case center = "ce"
        case north = "no", south = "so", east = "ea", west = "we"
        case northEast = "noea", northWest = "nowe", southEast = "soea", southWest = "sowe"
        /// A point, given as fractions of width and height.
        case focusPoint = "fp"
        /// The part that attracts attention. It is the center where pixels are not known.
        case smart = "sm"
    }

    var anchor: Anchor
    /// The offset from the anchor: pixels if it is at least 1 or at most -1, otherwise a fraction of the size. For a
    /// focus point, the fraction from the left.
    var x: Double
    /// The same from the top.
    var y: Double

    init(_ anchor: Anchor = .center, x: Double = 0, y: Double = 0) {
        self.anchor = anchor
        self.x = x
        self.y = y
    }

    /// Returns the left and top of an area in an image, in pixels, so that the area is inside of it.
    ///
    /// - Parameters:
    ///   - inner: The width and height of the area.
    ///   - outer: The width and height of the image.
    ///   - scale: Multiplies offsets in pixels.
    ///   - overflows: Whether a part of the area may be outside.
    func origin(
        of inner: (width: Int, height: Int), in outer: (width: Int, height: Int), scale: Double = 1,
        overflows: Bool = false
    ) -> (x: Int, y: Int) {
        let horizontal = Self.start(
            position: position(low: Self.westerly, high: Self.easterly, focus: x), offset: anchor.isPoint ? 0 : x,
            inner.width, outer.width, scale, overflows)
        let vertical = Self.start(
            position: position(low: Self.northerly, high: Self.southerly, focus: y), offset: anchor.isPoint ? 0 : y,
            inner.height, outer.height, scale, overflows)
        return (horizontal, vertical)
    }

    private static let westerly: Set<Anchor> = [.west, .northWest, .southWest]
    private static let easterly: Set<Anchor> = [.east, .northEast, .southEast]
    private static let northerly: Set<Anchor> = [.north, .northEast, .northWest]
    private static let southerly: Set<Anchor> = [.south, .southEast, .southWest]

    private enum Position { case low, center, high, at(Double) }

    private func position(low: Set<Anchor>, high: Set<Anchor>, focus: Double) -> Position {
        if anchor == .focusPoint { return .at(focus) }
        if low.contains(anchor) { return .low }
        return high.contains(anchor) ? .high : .center
    }

    private static func start(
        position: Position, offset: Double, _ inner: Int, _ outer: Int, _ scale: Double, _ overflows: Bool
    ) -> Int {
        let pixels = Self.even(abs(offset) >= 1 ? offset * scale : offset * Double(outer))
        let free = outer - inner
        let start =
            switch position {
            case .low: pixels
            // imgproxy rounds like this.
            case .center: Self.even(Double(free + 1) / 2) + pixels
            case .high: free - pixels
            case .at(let fraction): Self.even(fraction * Double(outer)) - inner / 2
            }
        if overflows { return min(max(start, 1 - inner), outer - 1) }
        return min(max(start, min(0, free)), max(0, free))
    }

    /// Returns the nearest pixel, of two the even one, limited so that positions don't overflow.
    private static func even(_ pixels: Double) -> Int { Int(min(max(pixels, -1e9), 1e9).rounded(.toNearestOrEven)) }
}

extension Gravity.Anchor {
    /// Whether x and y are not offsets.
    fileprivate var isPoint: Bool { self == .focusPoint || self == .smart }
}

extension Gravity: CustomStringConvertible {
    /// The gravity as the arguments of an option.
    var description: String { x == 0 && y == 0 ? anchor.rawValue : "\(anchor.rawValue):\(x):\(y)" }
}
