public import ImageCore

/// A step of your own, without a type of its own.
public struct ClosureProcessor: ImageProcessor {
    public let identifier: String
    private let transform: @Sendable (Bitmap) throws -> Bitmap

    /// - Parameters:
    ///   - identifier: names the step and all that it depends on. Images are cached under it: with one name, two closures
    ///     get each other's results.
    ///   - transform: gives the same result for the same image, whenever and on whichever thread it is called.
    public init(identifier: String, _ transform: @escaping @Sendable (Bitmap) throws -> Bitmap) {
        self.identifier = identifier
        self.transform = transform
    }

    /// Throws what the closure throws.
    public func process(_ bitmap: Bitmap) throws -> Bitmap { try transform(bitmap) }
}
