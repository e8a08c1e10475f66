/// The upper limits of the measured times.
enum Budget {
    /// Returns the budget of a hit on `MemoryImageCache` among 1,000 entries, or nil for other points.
    static func nanoseconds(of point: Point) -> Double? { isImageHit(point) ? 200 : nil }

    /// The budget of the same hit, as a share of the time of `NSCache` in the same run.
    private static let shareOfNSCache = 0.4

    /// Returns lines that compare points with each other.
    static func comparisons(_ points: [Point]) -> [String] {
        guard let image = points.first(where: isImageHit),
            let foundation = points.first(where: { $0.name == "NSCache" && $0.operation == .hit })
        else { return [] }
        return [
            Point.row(
                "hit, \(image.count) entries: MemoryImageCache / NSCache", image.nanoseconds / foundation.nanoseconds,
                "x ", budget: shareOfNSCache)
        ]
    }

    private static func isImageHit(_ point: Point) -> Bool {
        point.name == "MemoryImageCache" && point.operation == .hit && point.count == 1_000
    }
}
