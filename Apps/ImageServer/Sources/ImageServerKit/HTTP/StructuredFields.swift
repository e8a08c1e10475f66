import ImageCore

/// Values of structured fields (RFC 9651).
enum StructuredFields {
    /// Returns bytes, such as those of a ThumbHash.
    /// - Parameter base64: The bytes in Base64, with padding.
    static func bytes(base64: String) -> String { ":\(base64):" }

    /// Returns a size in pixels.
    static func size(_ size: PixelSize) -> String { "width=\(size.width), height=\(size.height)" }

    /// Returns the value of Cache-Status for where a result is from (RFC 9211).
    static func cacheStatus(_ level: ResultLevel) -> String {
        "image-server;" + (level == .origin ? "fwd=miss" : "hit;detail=\(level.rawValue)")
    }
}
