public import ImageCore
import Synchronization

/// A step after decoding that does what a test says, under the name that it says, and counts how often.
public final class FakeProcessor: ImageProcessor {
    public let identifier: String
    private let transform: @Sendable (Bitmap) throws -> Bitmap
    private let calls = Atomic(0)

    /// - Parameter transform: hands images through unless told otherwise; what it throws is thrown.
    public init(_ identifier: String, transform: @escaping @Sendable (Bitmap) throws -> Bitmap = { $0 }) {
        self.identifier = identifier
        self.transform = transform
    }

    /// How often an image was processed.
    public var callCount: Int { calls.load(ordering: .relaxed) }

    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        calls.wrappingAdd(1, ordering: .relaxed)
        return try transform(bitmap)
    }
}
