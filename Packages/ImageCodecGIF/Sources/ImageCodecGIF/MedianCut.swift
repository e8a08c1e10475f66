/// The sum of the colors in a part of the color space.
struct ColorBin {
    var count = 0
    var sum = SIMD3<Int>()

    /// - Precondition: `count` is not 0.
    var mean: RGBColor { RGBColor(truncatingIfNeeded: (sum &+ count / 2) / SIMD3(repeating: count)) }
}

/// Reduces colors with the median cut algorithm (Heckbert 1982), which splits the color space into boxes of about the same
/// number of pixels. Empty bins are ignored.
func medianCut(_ bins: [ColorBin], colorCount: Int) -> [RGBColor] {
    var boxes = [ColorBox(bins.filter { $0.count > 0 })]
    // Equal boxes are taken in order, so that the result is deterministic.
    while boxes.count < colorCount, let index = boxes.indices.max(by: { boxes[$0].weight < boxes[$1].weight }),
        boxes[index].weight > 0
    {
        let (lower, upper) = boxes[index].halves
        boxes[index] = lower
        boxes.append(upper)
    }
    return boxes.map(\.mean)
}

private struct ColorBox {
    private let bins: [ColorBin]
    private let axis: Int
    private let count: Int
    /// The priority of a split: the number of pixels times the longest side. 0 if the box can't be split.
    let weight: Int

    /// - Parameter bins: At least one.
    init(_ bins: [ColorBin]) {
        self.bins = bins
        count = bins.reduce(0) { $0 + $1.count }
        let colors = bins.map(\.mean)
        let lowest = colors.reduce(RGBColor(repeating: 255)) { pointwiseMin($0, $1) }
        let sides = colors.reduce(RGBColor()) { pointwiseMax($0, $1) } &- lowest
        axis = sides[1] == sides.max() ? 1 : sides[0] == sides.max() ? 0 : 2
        weight = bins.count < 2 ? 0 : Int(sides.max()) * count
    }

    var mean: RGBColor { ColorBin(count: count, sum: bins.reduce(SIMD3<Int>()) { $0 &+ $1.sum }).mean }

    /// The boxes on both sides of the median of the longest axis. Neither is empty.
    var halves: (ColorBox, ColorBox) {
        let sorted = bins.map { (bin: $0, position: $0.mean[axis]) }.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }.map(\.element.bin)
        var below = 0
        let cut = sorted.firstIndex { bin in
            below += bin.count
            return below >= count / 2
        }
        let middle = min(max((cut ?? 0) + 1, 1), sorted.count - 1)
        return (ColorBox(Array(sorted[..<middle])), ColorBox(Array(sorted[middle...])))
    }
}
