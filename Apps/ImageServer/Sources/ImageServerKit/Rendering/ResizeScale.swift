import ImageCore

/// The factors by which an image is resized, by the rules of imgproxy's options.
struct ResizeScale: Equatable {
    /// The factors of width and height.
    private(set) var x: Double
    private(set) var y: Double
    /// The factor of distances in pixels, such as paddings. Below `dpr` if the image is too small for it.
    private(set) var dpr: Double

    /// - Parameter size: The size of the upright, rotated and cropped image.
    init(_ size: PixelSize, _ options: ProcessingOptions) {
        let source = (width: Double(size.width), height: Double(size.height))
        (x, y) = Self.factors(source, options)
        x *= options.zoom.x
        y *= options.zoom.y
        dpr = options.dpr
        if !options.enlarges { limit(keepsDPR: options.extends.isEnabled) }
        raise(toWidth: options.minWidth, height: options.minHeight, source)
        x = max(x * dpr, 1 / source.width)
        y = max(y * dpr, 1 / source.height)
    }

    private static func factors(
        _ source: (width: Double, height: Double), _ options: ProcessingOptions
    ) -> (Double, Double) {
        let x = options.width > 0 ? Double(options.width) / source.width : 1
        let y = options.height > 0 ? Double(options.height) / source.height : 1
        let type = type(source, options)
        if type == .force || (options.width == 0 && options.height == 0) { return (x, y) }
        if options.width == 0 { return (y, y) }
        if options.height == 0 { return (x, x) }
        let factor = type == .fit ? min(x, y) : max(x, y)
        return (factor, factor)
    }

    private static func type(
        _ source: (width: Double, height: Double), _ options: ProcessingOptions
    ) -> ProcessingOptions.ResizingType {
        guard options.resizingType == .auto else { return options.resizingType }
        let width = options.width > 0 ? Double(options.width) : source.width
        let height = options.height > 0 ? Double(options.height) : source.height
        return (source.width >= source.height) == (width >= height) ? .fill : .fit
    }

    /// Makes sure that the image is not enlarged. A `dpr` below 1 can make up for a size that is too large.
    private mutating func limit(keepsDPR: Bool) {
        let largest = max(x, y)
        if largest > 1 {
            x /= largest
            y /= largest
            if !keepsDPR { dpr *= largest }
        }
        dpr = min(dpr, 1 / max(x, y))
    }

    /// Makes the result and all of its distances smaller by a factor below 1.
    mutating func reduce(by factor: Double, _ size: PixelSize) {
        x = max(x * factor, 1 / Double(size.width))
        y = max(y * factor, 1 / Double(size.height))
        dpr *= factor
    }

    private mutating func raise(toWidth width: Int, height: Int, _ source: (width: Double, height: Double)) {
        for missing in [Double(width) / (source.width * x), Double(height) / (source.height * y)] where missing > 1 {
            x *= missing
            y *= missing
        }
    }
}
