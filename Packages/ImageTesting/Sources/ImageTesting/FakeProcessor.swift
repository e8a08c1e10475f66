import ImageCore

/// A processor that runs a closure.
struct FakeProcessor: ImageProcessor {
    /// The identifier of the processor.
    let identifier: String
    private let transform: @Sendable (Bitmap) throws -> Bitmap

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the processor.
    ///   - transform: Returns the processed image, or throws. Returns the image itself by default.
    init(_ identifier: String, transform: @escaping @Sendable (Bitmap) throws -> Bitmap = { $0 }) {
        self.identifier = identifier
        self.transform = transform
    }

    func process(_ bitmap: Bitmap) throws -> Bitmap { try transform(bitmap) }
}
