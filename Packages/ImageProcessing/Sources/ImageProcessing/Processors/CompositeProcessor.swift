public import ImageCore

/// Several steps as one, in order.
public struct CompositeProcessor: ImageProcessor {
    private let steps: [any ImageProcessor]

    /// No steps leave the image as it is.
    public init(_ steps: [any ImageProcessor]) { self.steps = steps }

    public var identifier: String { "(" + steps.map(\.identifier).joined(separator: ",") + ")" }

    /// Throws what the first failing step throws.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        try steps.reduce(bitmap) { try $1.process($0) }
    }
}
