public import ImageCore

/// Processes images with a closure.
public struct ClosureProcessor: ImageProcessor {
    /// The identifier of the processor. It is part of the cache key.
    public let identifier: String
    private let transform: @Sendable (Bitmap) throws -> Bitmap

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - identifier: Identifies the closure and all values that it captures. It is part of the cache key: closures with
    ///     the same identifier share results.
    ///   - transform: Returns the same result for the same image at any time and on any thread.
    public init(identifier: String, _ transform: @escaping @Sendable (Bitmap) throws -> Bitmap) {
        self.identifier = identifier
        self.transform = transform
    }

    /// Calls the closure. Rethrows its error.
    public func process(_ bitmap: Bitmap) throws -> Bitmap { try transform(bitmap) }
}
