public import ImageCore

/// Resizes a decoded image. Decoding directly to a target (`ImageRequest.target`) is faster.
public struct ResizeProcessor: ImageProcessor {
    private enum Result {
        case target(ImageTarget)
        case stretched(PixelSize, UnitRegion)
    }

    private var result: Result
    private let isLinear: Bool
    private let limits: DecodingLimits

    /// Creates a processor.
    ///
    /// - Parameters:
    ///   - target: The size of the result, and how the image fits it.
    ///   - limits: The limits of the sides, pixels and bytes of the result.
    public init(_ target: ImageTarget, limits: DecodingLimits = .default) {
        result = .target(target)
        isLinear = target.usesLinearLight
        self.limits = limits
    }

    /// Creates a processor that resizes to this size, without keeping the aspect ratio.
    ///
    /// - Parameters:
    ///   - size: The size of the result. A side below 1 traps.
    ///   - usesLinearLight: Whether pixels are averaged as light instead of as stored values.
    ///   - limits: The limits of the sides, pixels and bytes of the result.
    public init(stretchingTo size: PixelSize, usesLinearLight: Bool = false, limits: DecodingLimits = .default) {
        precondition(size.width > 0 && size.height > 0, "an image has sides of at least 1 pixel, not \(size)")
        result = .stretched(size, .whole)
        isLinear = usesLinearLight
        self.limits = limits
    }

    /// Creates a processor that resizes a part to this size, without keeping the aspect ratio.
    ///
    /// The edges of the part can be between pixels, so that images of one scene in different resolutions, such as a
    /// photograph and its gain map, can be cut alike.
    ///
    /// - Parameters:
    ///   - part: The part. What is outside of the image is left out.
    ///   - size: The size of the result. A side below 1 traps.
    ///   - limits: The limits of the sides, pixels and bytes of the result.
    public init(_ part: UnitRegion, stretchedTo size: PixelSize, limits: DecodingLimits = .default) {
        self.init(stretchingTo: size, limits: limits)
        result = .stretched(size, part)
    }

    public var identifier: String {
        let end = isLinear ? ",linear)" : ")"
        return switch result {
        case .target(let target):
            "resize(\(target.size),\(target.mode.rawValue)\(target.upscales ? ",upscales" : "")"
                + (target.part.map { ",\($0.left),\($0.top),\($0.size)" } ?? "") + end
        case .stretched(let size, .whole): "resize(\(size)" + end
        case .stretched(let size, let part):
            "resize(\(size),\(part.x),\(part.y),\(part.width),\(part.height)" + end
        }
    }

    /// Returns the resized image. Throws `ImageDecodingError.limitExceeded` before it allocates memory, and
    /// `CancellationError`.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        switch result {
        case .target(let target):
            try resized(bitmap, target.region(of: bitmap.size), to: target.outputSize(for: bitmap.size))
        case .stretched(let size, let part): try resized(bitmap, part.pixels(of: bitmap.size), to: size)
        }
    }

    private func resized(_ bitmap: Bitmap, _ region: PixelRegion, to output: PixelSize) throws -> Bitmap {
        if output == bitmap.size, region == PixelRegion(bitmap.size) { return bitmap }
        try limits.check(output)
        try limits.check(.decodedBytes, output.byteCount(.rgba8))
        // The filter buffers rows of floats: more than a few if the image becomes low and wide.
        let rows = min(bitmap.size.height, 6 * bitmap.size.height / output.height)
        if rows > 64 { try limits.check(.decodedBytes, PixelSize(width: 16 * output.width, height: rows).area) }
        let collector = RowCollector(size: output)
        let stage = LanczosStage(
            input: bitmap.size, region: region, output: output, isOpaque: bitmap.isOpaque,
            isLinear: isLinear, next: collector)
        let pixels = bitmap.pixels
        let bytes = pixels.span
        for y in 0..<bitmap.size.height {
            try Task.checkCancellation()
            try stage.receive(bytes.extracting(y * bitmap.bytesPerRow..<(y + 1) * bitmap.bytesPerRow))
        }
        return Bitmap(like: bitmap, size: output, pixels: collector.pixels)
    }
}

/// Collects the rows of the result.
private final class RowCollector: PixelRowSink {
    private(set) var pixels: [UInt8] = []

    init(size: PixelSize) {
        pixels.reserveCapacity(size.area * 4)
    }

    func receive(_ row: Span<UInt8>) throws(ImageDecodingError) {
        // Sound: the pointer is used within the closure only.
        unsafe row.withUnsafeBufferPointer { unsafe pixels.append(contentsOf: $0) }
    }
}

/// The error of a crop.
@nonexhaustive
public enum CropError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The area is empty or completely outside the image, which has this size.
    case outside(PixelSize)

    public var errorDescription: String? { description }
    public var description: String {
        switch self {
        case .outside(let size): "the rectangle to crop to is outside of the image of \(size) pixels"
        }
    }
}

/// Crops an image to the part of an area that is inside the image.
public struct CropProcessor: ImageProcessor {
    private let area: PixelArea

    /// Creates a processor that crops to an area.
    public init(_ area: PixelArea) { self.area = area }

    public var identifier: String { "crop(\(area.left),\(area.top),\(area.size))" }

    /// Returns the cropped image. Throws `CropError.outside` if no pixel is left.
    public func process(_ bitmap: Bitmap) throws -> Bitmap {
        let columns = Self.part(from: area.left, count: area.width, of: bitmap.size.width)
        let lines = Self.part(from: area.top, count: area.height, of: bitmap.size.height)
        guard !columns.isEmpty, !lines.isEmpty else { throw CropError.outside(bitmap.size) }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(columns.count * lines.count * 4)
        let input = bitmap.pixels
        for y in lines {
            let row = y * bitmap.bytesPerRow
            pixels += input[row + columns.lowerBound * 4..<row + columns.upperBound * 4]
        }
        let size = PixelSize(width: columns.count, height: lines.count)
        return Bitmap(like: bitmap, size: size, pixels: pixels)
    }

    /// Returns the part of an image that is kept. Empty if no pixel is.
    package func region(of image: PixelSize) -> PixelRegion {
        let columns = Self.part(from: area.left, count: area.width, of: image.width)
        let lines = Self.part(from: area.top, count: area.height, of: image.height)
        return PixelRegion(
            x: Double(columns.lowerBound), y: Double(lines.lowerBound), width: Double(columns.count),
            height: Double(lines.count))
    }

    private static func part(from start: Int, count: Int, of side: Int) -> Range<Int> {
        let (end, overflow) = start.addingReportingOverflow(max(0, count))
        let upper = min(side, overflow ? .max : end)
        return min(max(0, start), max(0, upper))..<max(0, upper)
    }
}
