public import ImageCore

/// Keeps every row it is given, and can be told to stop.
public final class CollectingRowSink: PixelRowSink {
    /// The rows so far, each as it came.
    public private(set) var rows: [[UInt8]] = []
    private let stopsAfter: Int
    private let failure: DecodingFailure

    /// - Parameter stopsAfter: rows to take before each further one is answered with `failure`.
    public init(stopsAfter: Int = .max, failure: DecodingFailure = .cancelled) {
        self.stopsAfter = stopsAfter
        self.failure = failure
    }

    /// All rows, one after the other.
    public var pixels: [UInt8] { rows.reduce(into: []) { $0 += $1 } }

    /// How many rows were offered, refused ones included.
    public private(set) var offeredCount = 0

    public func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        offeredCount += 1
        if rows.count >= stopsAfter { throw failure }
        rows.append(unsafe row.withUnsafeBufferPointer { unsafe Array($0) })
    }
}
