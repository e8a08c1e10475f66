public import ImageCore

/// Applies several processors in order.
public struct CompositeProcessor: ImageProcessor {
    private let processors: [any ImageProcessor]

    /// Creates a processor. An empty array returns images unchanged.
    public init(_ processors: [any ImageProcessor]) { self.processors = processors }

    public var identifier: String { "composite(\(processors.map(\.identifier).textWithLengths))" }

    /// Applies the processors. Throws the error of the first one that fails.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        try processors.reduce(bitmap) { try $1.process($0) }
    }
}
