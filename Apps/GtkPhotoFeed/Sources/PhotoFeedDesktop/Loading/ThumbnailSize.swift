internal import ImageCore

/// The current size of the images in the feed's cells. Prefetched images must have this size to be used by the cells.
public final class ThumbnailSize {
    /// The length of the sides, in points.
    var side = PhotoLayout.grid.side
    /// The number of pixels per point.
    var scale = 1

    var pixels: PixelSize { PixelSize(width: side * scale, height: side * scale) }
}
