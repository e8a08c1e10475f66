internal import ImageCore

/// How large the feed's cells show their images now. What is loaded ahead of need is loaded at this size, or the cells would have no use for it.
public final class ThumbnailSize {
    /// In points.
    var side = PhotoLayout.grid.side
    /// Pixels of the screen to a point.
    var scale = 1

    var pixels: PixelSize { PixelSize(width: side * scale, height: side * scale) }
}
