public import ImageCore

/// Collects the rows that it receives. Can throw after a number of rows.
public final class CollectingRowSink: PixelRowSink {
    /// The accepted rows, in order.
    public private(set) var rows: [[UInt8]] = []
    private let stopsAfter: Int
    private let failure: ImageDecodingError

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - stopsAfter: The number of rows to accept before the sink throws.
    ///   - failure: The error to throw for each further row.
    public init(stopsAfter: Int = .max, failure: ImageDecodingError = .cancelled) {
        self.stopsAfter = stopsAfter
        self.failure = failure
    }

    /// The bytes of all accepted rows.
    public var pixels: [UInt8] { rows.reduce(into: []) { $0 += $1 } }

    /// The number of rows that were passed to the sink, including rejected ones.
    private(set) var offeredCount = 0

    public func receive(_ row: Span<UInt8>) throws(ImageDecodingError) {
        offeredCount += 1
        if rows.count >= stopsAfter { throw failure }
        rows.append(unsafe row.withUnsafeBufferPointer { unsafe Array($0) })
    }
}
