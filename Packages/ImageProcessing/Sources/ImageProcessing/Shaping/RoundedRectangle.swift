/// A rectangle with round corners, and how much of each pixel lies within.
struct RoundedRectangle {
    private let left: Double
    private let right: Double
    private let top: Double
    private let bottom: Double
    private let radii: CornerRadii

    /// Lines through each row of pixels along which the shape is measured exactly.
    private static let linesPerRow = 16

    /// - Parameters:
    ///   - inset: how far its edges lie within an image of `width` by `height` pixels. It may leave nothing.
    ///   - radii: that fit into the image; those of an inset shape are smaller by the inset.
    init(width: Int, height: Int, inset: Double = 0, radii: CornerRadii) {
        left = inset
        top = inset
        right = Double(width) - inset
        bottom = Double(height) - inset
        self.radii = inset == 0 ? radii : radii.inset(by: inset)
    }

    /// Adds the part of each pixel in row `y` that lies within, from 0 to 1, to `coverage`.
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

    /// Whether no arc of a corner lies between two heights.
    private func isStraight(from: Double, to: Double) -> Bool {
        from >= top + max(radii.topLeft, radii.topRight) && to <= bottom - max(radii.bottomLeft, radii.bottomRight)
    }

    /// The part of a line at a height that lies within.
    private func extent(at y: Double) -> (start: Double, end: Double) {
        (
            left + inset(at: y, upper: radii.topLeft, lower: radii.bottomLeft),
            right - inset(at: y, upper: radii.topRight, lower: radii.bottomRight)
        )
    }

    /// How far the arcs of an upper and a lower corner reach in at a height.
    private func inset(at y: Double, upper: Double, lower: Double) -> Double {
        let (fromTop, fromBottom) = (top + upper - y, y - (bottom - lower))
        return max(Self.arcInset(radius: upper, height: fromTop), Self.arcInset(radius: lower, height: fromBottom))
    }

    /// - Parameter height: above the middle of the arc; nothing below it.
    private static func arcInset(radius: Double, height: Double) -> Double {
        guard height > 0 else { return 0 }
        return radius - max(0, radius * radius - height * height).squareRoot()
    }

    /// Adds a line of this weight from `start` to `end` to the pixels that it crosses.
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
