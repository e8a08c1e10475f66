/// Reduces colors with the median cut algorithm (Heckbert 1982).
///
/// It splits the color space into boxes of about the same number of pixels.
struct MedianCut {
    private(set) var palette: [RGBColor] = []

    /// - Parameters:
    ///   - bins: All bins of the color space. Empty bins are ignored.
    ///   - colorCount: The maximum number of palette colors.
    init(_ bins: [ColorBin], colorCount: Int) {
        let filled = bins.filter { $0.count > 0 }
        guard !filled.isEmpty else { return }
        var boxes = [ColorBox(filled)]
        while boxes.count < colorCount {
            // Equal boxes are taken in order, so that the result is deterministic.
            guard let index = boxes.indices.max(by: { boxes[$0].weight < boxes[$1].weight }),
                boxes[index].weight > 0
            else { break }
            let (lower, upper) = boxes[index].halves
            boxes[index] = lower
            boxes.append(upper)
        }
        palette = boxes.map(\.mean)
    }
}

private struct ColorBox {
    private let bins: [ColorBin]
    private let axis: KeyPath<RGBColor, UInt8>
    /// The priority of a split: the number of pixels times the longest side. 0 if the box can't be split.
    let weight: Int

    init(_ bins: [ColorBin]) {
        var longest = (axis: \RGBColor.red, length: -1)
        for axis in [\RGBColor.green, \RGBColor.red, \RGBColor.blue] {
            let values = bins.map { $0.mean[keyPath: axis] }
            let length = Int(values.max() ?? 0) - Int(values.min() ?? 0)
            if length > longest.length { longest = (axis, length) }
        }
        self.bins = bins
        axis = longest.axis
        weight = bins.count < 2 ? 0 : longest.length * bins.reduce(0) { $0 + $1.count }
    }

    var mean: RGBColor {
        bins.reduce(into: ColorBin()) { $0.add($1) }.mean
    }

    /// The boxes on both sides of the median of the longest axis. Neither is empty.
    var halves: (ColorBox, ColorBox) {
        let sorted = bins.enumerated().sorted {
            let (left, right) = ($0.element.mean[keyPath: axis], $1.element.mean[keyPath: axis])
            return left == right ? $0.offset < $1.offset : left < right
        }.map(\.element)
        let half = sorted.reduce(0) { $0 + $1.count } / 2
        var count = 0
        let cut = sorted.firstIndex { bin in
            count += bin.count
            return count >= half
        }
        let middle = min(max((cut ?? 0) + 1, 1), sorted.count - 1)
        return (ColorBox(Array(sorted[..<middle])), ColorBox(Array(sorted[middle...])))
    }
}
