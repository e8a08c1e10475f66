#if GTK
internal import ImageCore

/// How far an image is zoomed in a view. Sizes are in pixels.
///
/// A scale is the number of pixels of the screen per pixel of the image file, so that 1 shows each pixel as one.
nonisolated struct ImageZoom {
    /// The size of the view.
    var view = PixelSize(width: 0, height: 0)
    /// The size of the image file, or of that of a preview.
    private(set) var image: PixelSize?
    /// The scale that the user has chosen, or nil while the image fits in the view.
    private var chosenScale: Double?
    /// The maximum number of pixels to decode.
    let pixelLimit: Int

    /// The largest scale of images that are not smaller than the view.
    static let largestScale = 16.0

    init(pixelLimit: Int) { self.pixelLimit = max(1, pixelLimit) }

    /// Whether the whole image fits in the view.
    var isFitting: Bool { chosenScale == nil }

    /// The scale at which the image fits in the view.
    var fittingScale: Double {
        guard let image, view.area > 0 else { return 1 }
        return min(Double(view.width) / Double(image.width), Double(view.height) / Double(image.height))
    }

    var scale: Double { chosenScale ?? fittingScale }

    /// Zooms to a scale within the limits.
    mutating func setScale(_ scale: Double) {
        let fitting = fittingScale
        let limited = min(max(scale, min(fitting, 1)), max(fitting, Self.largestScale))
        chosenScale = abs(limited / fitting - 1) < 0.001 ? nil : limited
    }

    /// Shows the whole image.
    mutating func fit() { chosenScale = nil }

    /// Sets the size of the image file. If it replaces that of a preview, the zoomed image keeps its size.
    mutating func show(_ size: PixelSize) {
        if let image, let scale = chosenScale { chosenScale = scale * Double(image.width) / Double(size.width) }
        image = size
    }

    /// The size of the zoomed image on the screen.
    var zoomedSize: PixelSize {
        guard let image else { return view }
        return PixelSize(width: Self.pixels(image.width, scale), height: Self.pixels(image.height, scale))
    }

    /// The size to which the image must be decoded to be sharp: the view, or the view multiplied by two, four and so
    /// on. The steps are far apart, so that a gesture doesn't decode an image in each frame.
    var decodedSize: PixelSize {
        guard let image else { return view }
        var factor = 1.0
        while factor < scale / fittingScale { factor *= 2 }
        let fittingArea = Double(image.area) * fittingScale * fittingScale
        factor = max(1, min(factor, (Double(pixelLimit) / fittingArea).squareRoot()))
        return PixelSize(width: Self.pixels(view.width, factor), height: Self.pixels(view.height, factor))
    }

    /// Returns the target of a tile with all visible pixels, and those of half a view around them, so that it is still useful
    /// after a short way. It has at most the pixels of four views.
    ///
    /// - Parameter offset: The offset of the view from the beginning of the zoomed image, in pixels of the screen.
    func tile(at offset: (x: Double, y: Double)) -> ImageTarget {
        let part = part(at: offset, margin: 0.5)
        let scale = min(1, scale)
        return ImageTarget(
            PixelSize(width: max(1, Self.pixels(part.width, scale)), height: max(1, Self.pixels(part.height, scale))),
            part: part)
    }

    /// Returns whether a tile has all visible pixels.
    func isCovered(by tile: ImageTarget, at offset: (x: Double, y: Double)) -> Bool {
        guard let part = tile.part else { return false }
        let visible = self.part(at: offset, margin: 0)
        return part.left <= visible.left && part.left + part.width >= visible.left + visible.width
            && part.top <= visible.top && part.top + part.height >= visible.top + visible.height
            && Double(tile.size.width) >= 0.99 * Double(part.width) * min(1, scale)
    }

    /// Returns the part of the image in the view with a margin, in shares of the view.
    private func part(at offset: (x: Double, y: Double), margin: Double) -> PixelArea {
        func side(_ offset: Double, _ view: Int) -> (start: Int, length: Int) {
            let start = ((offset - margin * Double(view)) / scale).rounded(.down)
            let end = ((offset + (1 + margin) * Double(view)) / scale).rounded(.up)
            return (Int(max(0, start)), Int(end - max(0, start)))
        }
        let (column, row) = (side(offset.x, view.width), side(offset.y, view.height))
        let area = PixelArea(left: column.start, top: row.start, width: column.length, height: row.length)
        return area.inside(image ?? view)
    }

    private static func pixels(_ side: Int, _ scale: Double) -> Int { Int((Double(side) * scale).rounded(.up)) }

    /// Returns the scroll offset along an axis that keeps the point under the pointer where it is. Lengths are in
    /// points.
    ///
    /// - Parameters:
    ///   - offset: The offset before the zoom.
    ///   - pointer: The distance of the pointer from the beginning of the view.
    ///   - lengths: The lengths of the image before and after the zoom.
    ///   - view: The length of the view.
    static func offset(
        _ offset: Double, at pointer: Double, lengths: (before: Double, after: Double), view: Double
    ) -> Double {
        func margin(_ length: Double) -> Double { max(0, (view - length) / 2) }
        let share = (offset + pointer - margin(lengths.before)) / lengths.before
        return min(max(0, share * lengths.after + margin(lengths.after) - pointer), max(0, lengths.after - view))
    }
}
#endif
