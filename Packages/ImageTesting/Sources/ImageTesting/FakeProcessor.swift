import ImageCore
import Synchronization

/// A processor that runs a closure and counts its calls.
final class FakeProcessor: ImageProcessor {
    /// The identifier of the processor.
    let identifier: String
    private let transform: @Sendable (Bitmap) throws -> Bitmap
    private let calls = Atomic(0)

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the processor.
    ///   - transform: Returns the processed image, or throws. Returns the image itself by default.
    init(_ identifier: String, transform: @escaping @Sendable (Bitmap) throws -> Bitmap = { $0 }) {
        self.identifier = identifier
        self.transform = transform
    }

    /// The number of calls of `process`.
    var callCount: Int { calls.load(ordering: .relaxed) }

    func process(_ bitmap: Bitmap) throws -> Bitmap {
        calls.wrappingAdd(1, ordering: .relaxed)
        return try transform(bitmap)
    }
}
