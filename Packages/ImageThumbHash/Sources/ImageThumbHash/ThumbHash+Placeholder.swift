public import ImageCore

extension ImageRequestOptions {
    /// Sets the image of a hash as the placeholder. It is decoded when a view shows it.
    public mutating func setPlaceholder(_ thumbHash: ThumbHash) {
        setPlaceholder { thumbHash.image }
    }
}

extension ThumbHash {
    /// The decoded bitmap as an image, for views. Decoded on each read.
    public var image: DecodedImage {
        let bitmap = bitmap()
        let header = ImageHeader(format: .thumbHash, storedSize: bitmap.size, hasAlpha: hasAlpha)
        return DecodedImage(bitmap: bitmap, header: header, completeness: .preview)
    }
}

extension ImageFormat {
    /// ThumbHash, by Evan Wallace.
    public static let thumbHash = ImageFormat(rawValue: "thumbhash")
}
