/// The progress of an operation: its transfer in bytes, and the latest preview.
public struct WorkProgress: Hashable, Sendable {
    /// The number of bytes received.
    public var completedByteCount: Int
    /// The expected number of bytes; nil if the server does not announce it.
    public var totalByteCount: Int?
    /// The latest preview, if there is one.
    public var preview: ImagePreview?

    /// Creates a progress in bytes.
    public init(completedByteCount: Int, totalByteCount: Int?, preview: ImagePreview? = nil) {
        self.completedByteCount = completedByteCount
        self.totalByteCount = totalByteCount
        self.preview = preview
    }

    /// The completed fraction, from 0 to 1; nil if the server does not announce a length.
    public var fraction: Double? {
        totalByteCount.map { $0 > 0 ? min(1, Double(completedByteCount) / Double($0)) : 1 }
    }

    /// The progress in bytes only.
    package var withoutPreview: WorkProgress {
        WorkProgress(completedByteCount: completedByteCount, totalByteCount: totalByteCount)
    }

    /// Merges a newer report, and returns whether it changed anything.
    ///
    /// Bytes never decrease, even if a transfer restarts. The preview with the highest number is kept.
    package mutating func merge(_ newer: WorkProgress) -> Bool {
        let hasMoreBytes =
            newer.completedByteCount > completedByteCount
            || newer.completedByteCount == completedByteCount && newer.totalByteCount != nil
                && newer.totalByteCount != totalByteCount
        let hasNewPreview = (newer.preview?.number ?? .min) > (preview?.number ?? .min)
        if hasMoreBytes {
            completedByteCount = newer.completedByteCount
            totalByteCount = newer.totalByteCount
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
