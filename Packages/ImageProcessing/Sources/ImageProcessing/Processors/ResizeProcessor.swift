public import ImageCore

/// Resizes a decoded image. Decoding directly to a target (`ImageRequest.target`) is faster.
public struct ResizeProcessor: ImageProcessor {
    private let target: ImageTarget
    private let resampler: any RowResampler
    private let limits: DecodingLimits

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - target: The size of the result, and how the image fits it.
    ///   - resampler: Resizes the rows. It is not part of `identifier`, so use the same one everywhere in an app.
    ///   - limits: The limits of the sides, pixels and bytes of the result.
    public init(
        _ target: ImageTarget, resampler: any RowResampler = LanczosRowResampler(), limits: DecodingLimits = .default
    ) {
        self.target = target
        self.resampler = resampler
        self.limits = limits
    }

    public var identifier: String {
        "resize(\(target.size),\(target.mode.rawValue)\(target.upscales ? ",upscales" : ""))"
    }

    /// Returns the resized image. Throws `DecodingFailure.limitExceeded` before it allocates memory, or the error of the
    /// resampler.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        let output = target.outputSize(for: bitmap.size)
        if output == bitmap.size { return bitmap }
        try limits.check(output)
        let (byteCount, overflows) = output.area.multipliedReportingOverflow(by: 4)
        try limits.check(.decodedBytes, overflows ? .max : byteCount)
        let rows = RowCollector(size: output)
        let stage = try resampler.makeStage(
            source: bitmap.size, region: target.region(of: bitmap.size), output: output, isOpaque: bitmap.isOpaque,
            next: rows)
        let pixels = bitmap.pixels
        let bytes = pixels.span
        for y in 0..<bitmap.size.height {
            try stage.receive(bytes.extracting(y * bitmap.bytesPerRow..<(y + 1) * bitmap.bytesPerRow))
        }
        return rows.bitmap(isOpaque: bitmap.isOpaque)
    }
}

/// Collects the rows of the result.
private final class RowCollector: PixelRowSink {
    private let size: PixelSize
    private var pixels: [UInt8] = []

    init(size: PixelSize) {
        self.size = size
        pixels.reserveCapacity(size.area * 4)
    }

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        // Sound: the pointer is used within the closure only.
        unsafe row.withUnsafeBufferPointer { unsafe pixels.append(contentsOf: $0) }
    }

    func bitmap(isOpaque: Bool) -> Bitmap {
        isOpaque ? Bitmap(size: size, pixels: pixels, isOpaque: true) : Bitmap(size: size, pixels: pixels)
    }
}
