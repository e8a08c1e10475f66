public import ImageLoading

extension ImageLoader {
    /// The version of swift-image-loading by Semantic Versioning 2.0.0, without a prefix.
    public static let version = "0.1.0"
}
