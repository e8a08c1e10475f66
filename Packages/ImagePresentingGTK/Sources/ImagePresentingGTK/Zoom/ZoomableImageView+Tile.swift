#if GTK
internal import ImageCore

extension ZoomableImageView {
    /// Loads the visible part with all its pixels if the image has too few, also after it was moved.
    func updateTile() {
        guard isBlurred, let request, let image = zoom.image else { return tile.clear() }
        let (points, scale) = (pendingOffset ?? offset, Double(widget.scaleFactor))
        let offset = (x: points.x * scale, y: points.y * scale)
        if let target = tile.target, zoom.isCovered(by: target, at: offset) { return }
        var part = Self.enlarged(request(zoom.decodedSize))
        guard part.isWholeImage else { return tile.clear() }
        part.target = zoom.tile(at: offset)
        tile.show(part, of: image)
    }

    /// Whether the image has more pixels, and the screen shows more. Rounded sizes differ a little.
    private var isBlurred: Bool {
        guard appearance.kind == .final, let image = appearance.image, image.header.frameCount == 1 else {
            return false
        }
        let width = Double(image.bitmap.size.width) * 1.01
        return width < Double(image.header.size.width) && width < Double(zoom.zoomedSize.width)
    }
}

extension ImageRequest {
    /// Whether the image is neither cropped nor changed in a way that depends on its size.
    fileprivate var isWholeImage: Bool {
        target?.mode == .fit && target?.part == nil && processors.allSatisfy { $0 is PackedPixels }
    }
}
#endif
