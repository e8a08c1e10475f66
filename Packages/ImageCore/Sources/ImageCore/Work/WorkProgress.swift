/// The progress of an operation: its transfer in bytes, and the latest preview.
public struct WorkProgress: Hashable, Sendable {
    /// The number of bytes received.
    public var completedBytes: Int
    /// The expected number of bytes; nil if the server does not announce it.
    public var totalBytes: Int?
    /// The latest preview, if there is one.
    public var preview: ImagePreview?

    /// Creates a progress in bytes.
    public init(completedBytes: Int, totalBytes: Int?, preview: ImagePreview? = nil) {
        self.completedBytes = completedBytes
        self.totalBytes = totalBytes
        self.preview = preview
    }

    /// The completed fraction, from 0 to 1; nil if the server does not announce a length.
    public var fraction: Double? {
        totalBytes.map { $0 > 0 ? min(1, Double(completedBytes) / Double($0)) : 1 }
    }

    /// The progress in bytes only.
    package var withoutPreview: WorkProgress { WorkProgress(completedBytes: completedBytes, totalBytes: totalBytes) }

    /// Merges a newer report, and returns whether it changed anything.
    ///
    /// Bytes never decrease, even if a transfer restarts. The preview with the highest number is kept.
    package mutating func merge(_ newer: WorkProgress) -> Bool {
        let hasMoreBytes =
            newer.completedBytes > completedBytes
            || newer.completedBytes == completedBytes && newer.totalBytes != nil && newer.totalBytes != totalBytes
        let hasNewPreview = (newer.preview?.number ?? .min) > (preview?.number ?? .min)
        if hasMoreBytes {
            completedBytes = newer.completedBytes
            totalBytes = newer.totalBytes
        }
        if hasNewPreview { preview = newer.preview }
        return hasMoreBytes || hasNewPreview
    }
}

/// An image that is incomplete or of lower quality than the final one.
public struct ImagePreview: Hashable, Sendable {
    /// The image, whose `completeness` is `.preview`.
    public let image: DecodedImage
    /// A number that increases with each preview of an operation.
    public let number: Int

    /// Creates a preview, and marks its image as one.
    public init(_ image: DecodedImage, number: Int) {
        var image = image
        if image.completeness != .preview { image.completeness = .preview }
        self.image = image
        self.number = number
    }
}
