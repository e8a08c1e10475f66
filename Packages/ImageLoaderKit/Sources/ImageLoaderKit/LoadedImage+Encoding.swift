public import ImageCore

extension LoadedImage {
    /// Encodes the image as a complete file, outside of the caller's actor.
    ///
    /// - Parameters:
    ///   - format: The format of the file.
    ///   - options: The quality of lossy formats, and how the file is arranged.
    ///   - encoders: The available encoders. With traits, `.all` has more.
    /// - Throws: `.noEncoder` if none of them writes the format: Apple's platforms can't write WebP. `.unsupportedSize` if
    ///   the format can't hold an image of this size, and `.cancelled` if the task is cancelled.
    @concurrent
    public func encoded(
        as format: ImageFormat, options: EncodingOptions = EncodingOptions(), encoders: [any ImageEncoder] = .standard
    ) async throws(ImageEncodingError) -> Data {
        guard let encoder = encoders.encoder(for: format) else { throw .noEncoder(format) }
        return try encoder.encode(bitmap, options: options)
    }

    /// Encodes the image and writes it to a file, which it replaces atomically, outside of the caller's actor.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - format: The format of the file.
    ///   - options: The quality of lossy formats, and how the file is arranged.
    ///   - encoders: The available encoders.
    /// - Throws: An `ImageEncodingError`, or the error of the file system.
    @concurrent
    public func write(
        to file: URL, as format: ImageFormat, options: EncodingOptions = EncodingOptions(),
        encoders: [any ImageEncoder] = .standard
    ) async throws {
        try await encoded(as: format, options: options, encoders: encoders).write(to: file, options: .atomic)
    }
}
