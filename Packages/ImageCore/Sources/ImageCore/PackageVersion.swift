/// The version of swift-image-loading.
public enum PackageVersion {
    /// The version by Semantic Versioning 2.0.0, without a prefix.
    public static let current = "0.1.0"
}
