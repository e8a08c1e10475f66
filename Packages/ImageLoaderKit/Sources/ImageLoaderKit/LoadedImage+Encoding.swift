public import ImageCore

/// A file format and its options, for ``ImageCore/LoadedImage/encoded(as:)``.
@nonexhaustive
public enum ImageFileFormat: Hashable, Sendable {
    /// JPEG.
    /// - Parameter quality: From 0 (smallest file) to 1 (best image).
    case jpeg(quality: Double = 0.85)
    /// PNG, which is lossless.
    case png
    /// WebP, which Apple's platforms can't write.
    /// - Parameter quality: From 0 (smallest file) to 1 (best image); nil for lossless compression.
    case webP(quality: Double? = 0.85)
    /// GIF, which has at most 256 colors.
    case gif

    fileprivate var encoder: any ImageEncoder {
        switch self {
        case .jpeg: PlatformCodecs.encoder(.jpeg)
        case .png: PlatformCodecs.encoder(.png)
        case .webP: PlatformCodecs.encoder(.webP)
        case .gif: PlatformCodecs.encoder(.gif)
        }
    }

    fileprivate var options: EncodingOptions {
        switch self {
        case .jpeg(let quality), .webP(.some(let quality)): EncodingOptions(quality: quality)
        case .webP(.none): EncodingOptions(isLossless: true)
        case .png, .gif: EncodingOptions()
        }
    }
}

extension LoadedImage {
    /// Encodes the image as a complete file. Don't call it on the main actor for large images.
    ///
    /// - Throws: `.unsupportedSize` if the format can't hold an image of this size, and `.failed` if the system can't
    ///   write the format.
    public func encoded(as format: ImageFileFormat) throws(ImageEncodingError) -> Data {
        try format.encoder.encode(bitmap, options: format.options)
    }

    /// Encodes the image and writes it to a file, which it replaces atomically.
    ///
    /// - Throws: An `ImageEncodingError`, or the error of the file system.
    public func write(to file: URL, as format: ImageFileFormat) throws {
        try encoded(as: format).write(to: file, options: .atomic)
    }
}
