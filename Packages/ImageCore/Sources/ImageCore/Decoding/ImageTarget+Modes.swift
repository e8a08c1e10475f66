extension ImageTarget {
    /// Fits the whole image in a size in pixels. Keeps the aspect ratio and doesn't enlarge smaller images.
    public static func fit(_ size: PixelSize) -> ImageTarget { ImageTarget(size, mode: .fit) }

    /// Covers a size in pixels and crops evenly. Doesn't enlarge smaller images.
    public static func fill(_ size: PixelSize) -> ImageTarget { ImageTarget(size, mode: .fill) }
}
