/// A rectangle with rounded corners. Computes which fraction of each pixel it covers.
struct RoundedRectangle {
    private let left: Double
    private let right: Double
    private let top: Double
    private let bottom: Double
    private let radii: CornerRadii

    /// The number of scan lines in each row of pixels. The shape is exact along each of them.
    private static let linesPerRow = 16

    /// Creates a rectangle in an image of `width` by `height` pixels.
    ///
    /// - Parameters:
    ///   - inset: The distance from the edges of the image. The rectangle is empty if it is too large.
    ///   - radii: The radii without the inset, which fit the image. They are reduced by the inset.
    init(width: Int, height: Int, inset: Double = 0, radii: CornerRadii) {
        left = inset
        top = inset
        right = Double(width) - inset
        bottom = Double(height) - inset
        self.radii = inset == 0 ? radii : radii.inset(by: inset)
    }

    /// Adds the covered fraction of each pixel in row `y`, from 0 to 1, to `coverage`.
    func cover(row y: Int, into coverage: inout [Float]) {
        let (from, to) = (max(top, Double(y)), min(bottom, Double(y + 1)))
        guard from < to, left < right else { return }
        let lineCount = isStraight(from: from, to: to) ? 1 : Self.linesPerRow
        let share = (to - from) / Double(lineCount)
        for line in 0..<lineCount {
            let (start, end) = extent(at: from + (Double(line) + 0.5) * share)
            if start < end { Self.add(Float(share), from: start, to: end, into: &coverage) }
        }
    }

    /// Returns whether there is no arc of a corner between two heights.
    private func isStraight(from: Double, to: Double) -> Bool {
        from >= top + max(radii.topLeft, radii.topRight) && to <= bottom - max(radii.bottomLeft, radii.bottomRight)
    }

    /// Returns the horizontal extent of the shape at a height.
    private func extent(at y: Double) -> (start: Double, end: Double) {
        (
            left + inset(at: y, upper: radii.topLeft, lower: radii.bottomLeft),
            right - inset(at: y, upper: radii.topRight, lower: radii.bottomRight)
        )
    }

    /// Returns the distance between the side and the arcs of an upper and a lower corner at a height.
    private func inset(at y: Double, upper: Double, lower: Double) -> Double {
        let (fromTop, fromBottom) = (top + upper - y, y - (bottom - lower))
        return max(Self.arcInset(radius: upper, height: fromTop), Self.arcInset(radius: lower, height: fromBottom))
    }

    /// Returns the distance between the side and an arc, or 0 below the center of the arc.
    ///
    /// - Parameter height: The height above the center of the arc.
    private static func arcInset(radius: Double, height: Double) -> Double {
        guard height > 0 else { return 0 }
        return radius - max(0, radius * radius - height * height).squareRoot()
    }

    /// Adds a line segment from `start` to `end` with this weight to the pixels that it crosses.
    private static func add(_ weight: Float, from start: Double, to end: Double, into coverage: inout [Float]) {
        let first = Int(start)
        let last = min(coverage.count - 1, Int(end))
        if first == last {
            coverage[first] += weight * Float(end - start)
            return
        }
        coverage[first] += weight * Float(Double(first + 1) - start)
        for x in first + 1..<last { coverage[x] += weight }
        coverage[last] += weight * Float(end - Double(last))
    }
}
