/// A rectangle of whole pixels.
package struct PixelArea: Hashable, Sendable {
    package var left: Int
    package var top: Int
    package var width: Int
    package var height: Int

    package init(left: Int, top: Int, width: Int, height: Int) {
        self.left = left
        self.top = top
        self.width = width
        self.height = height
    }

    /// Creates the rectangle of a whole image.
    package init(_ size: PixelSize) { self.init(left: 0, top: 0, width: size.width, height: size.height) }
}

extension Bitmap {
    /// Returns the smallest rectangle that contains all differences from another image of the same size.
    ///
    /// It is one pixel if the images are equal, and the whole image if `other` is nil. Encoders store only this part of
    /// a frame.
    package func changedArea(since other: Bitmap?) -> PixelArea {
        guard let other else { return PixelArea(size) }
        let (new, old) = (pixels.span, other.pixels.span)
        var (left, right, top, bottom) = (size.width, 0, size.height, 0)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let offset = (y * size.width + x) * 4
                guard (0..<4).contains(where: { new[offset + $0] != old[offset + $0] }) else { continue }
                (left, right) = (min(left, x), max(right, x + 1))
                (top, bottom) = (min(top, y), y + 1)
            }
        }
        guard left < right else { return PixelArea(left: 0, top: 0, width: 1, height: 1) }
        return PixelArea(left: left, top: top, width: right - left, height: bottom - top)
    }
}
