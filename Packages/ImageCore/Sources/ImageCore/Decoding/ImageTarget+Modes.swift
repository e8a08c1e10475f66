extension ImageTarget {
    /// The whole image within a size in pixels. The aspect ratio is kept; smaller images are not enlarged.
    public static func fit(_ size: PixelSize) -> ImageTarget { ImageTarget(size, mode: .fit) }

    /// A size in pixels, covered by the image and cropped evenly. Smaller images are not enlarged.
    public static func fill(_ size: PixelSize) -> ImageTarget { ImageTarget(size, mode: .fill) }
}
