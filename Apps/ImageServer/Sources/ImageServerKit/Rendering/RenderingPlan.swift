import ImageCore

/// The steps from a source to the pixels of a result, computed from the header before anything is decoded.
struct RenderingPlan: Equatable {
    /// A rectangle of whole pixels.
    struct Area: Equatable {
        var x: Int
        var y: Int
        var size: PixelSize
    }

    /// A property of both crops.
    struct Crops: Equatable {
        /// That of the crop before resizing.
        var first: Bool
        /// That of the crop after resizing.
        var result: Bool
    }

    /// The size to which the upright image is decoded; nil for its own.
    private(set) var target: ImageTarget?
    /// The transformations of the decoded image, in order: back to the stored orientation, then the rotation.
    private(set) var orientations: [ImageOrientation]
    /// The area of the decoded image to keep; nil for all.
    private(set) var crop: Area?
    /// The size to which the area is resized.
    private(set) var scaled: PixelSize
    /// The area of the resized image to keep; nil for all.
    private(set) var resultCrop: Area?
    /// Whether the position of the crops is that of the part that attracts attention. It is known after decoding.
    private(set) var cropsToAttention: Crops
    /// The size of the canvas and the position of the image on it; nil if there is no space around the image.
    private(set) var canvas: Area?
    /// The size of the result.
    private(set) var output: PixelSize
    /// The factor of distances in pixels.
    private(set) var distanceScale: Double

    /// The largest result, or the largest drawing.
    struct Limit {
        /// The longest side in pixels.
        var side = Int.max
        /// The most pixels, also before the result is cropped.
        var area = Int.max
        /// The longest side before the result is cropped, in pixels.
        var uncroppedSide = Int.max

        /// Returns the factor by which a size exceeds the limit.
        func excess(of size: PixelSize, area: Int) -> Double {
            let side = Double(max(size.width, size.height)) / Double(side)
            return max(side, (Double(area) / Double(max(1, self.area))).squareRoot())
        }
    }

    /// Creates a plan whose result is within a limit: a larger one is scaled down with all of its distances.
    ///
    /// - Parameter drawing: The limit of what is drawn of an SVG file, which is enlarged if that isn't enough.
    init(_ header: ImageHeader, _ options: ProcessingOptions, limit: Limit = Limit(), drawing: Limit = Limit()) {
        self.init(header, options, reduction: 1, drawing)
        var reduction = 1.0
        // More than once because sides are rounded, and because none becomes less than a pixel.
        for _ in 0..<64 {
            let uncropped = Double(max(scaled.width, scaled.height)) / Double(limit.uncroppedSide)
            let excess = max(uncropped, limit.excess(of: output, area: largestArea))
            if excess <= 1 { return }
            reduction /= excess
            self = RenderingPlan(header, options, reduction: reduction, drawing)
        }
    }

    private init(_ header: ImageHeader, _ options: ProcessingOptions, reduction: Double, _ drawing: Limit) {
        orientations = Self.orientations(header, options)
        let base = options.rotatesAutomatically ? header.size : header.storedSize
        let logical = options.rotation % 180 == 0 ? base : base.transposed
        let cropped = Self.crop(logical, options)
        var scale = ResizeScale(cropped.size, options)
        if reduction < 1 { scale.reduce(by: reduction, cropped.size) }
        scaled = cropped.size.scaled(scale.x, scale.y)
        let swaps = orientations.filter(\.swapsAxes).count % 2 == 1
        (target, crop) = Self.decoding(
            logical, cropped, scale, scaled, swaps: swaps, drawing: header.format == .svg ? drawing : nil)
        let result = Self.resultSize(scaled, scale, options)
        resultCrop = result == scaled ? nil : options.gravity.area(of: result, in: scaled, scale: scale.dpr)
        cropsToAttention = Crops(first: options.cropGravity.anchor == .smart, result: options.gravity.anchor == .smart)
        canvas = Self.canvas(result, scale, options)
        output = canvas?.size ?? result
        distanceScale = scale.dpr
    }

    /// The pixels of the largest bitmap of the plan, apart from the decoded image.
    var largestArea: Int { max(scaled.area, output.area) }

    private static func orientations(_ header: ImageHeader, _ options: ProcessingOptions) -> [ImageOrientation] {
        let stored = options.rotatesAutomatically ? .up : header.orientation.inverse
        let rotation = [90: ImageOrientation.right, 180: .down, 270: .left][options.rotation] ?? .up
        return [stored, rotation].filter { $0 != .up }
    }

    private static func crop(_ size: PixelSize, _ options: ProcessingOptions) -> Area {
        func side(_ wanted: Double, _ whole: Int) -> Int {
            if wanted == 0 { return whole }
            return min(whole, max(1, Int((wanted < 1 ? wanted * Double(whole) : wanted).rounded())))
        }
        let wanted = PixelSize(
            width: side(options.crop.width, size.width), height: side(options.crop.height, size.height))
        return options.cropGravity.area(of: wanted, in: size)
    }

    /// Returns the size at which to decode, and the area of the decoded image.
    ///
    /// The whole image is decoded at the scale of the result if it becomes smaller. A part of it that becomes larger is
    /// decoded at its own size, so that the rest takes no more memory than the source. A drawing is drawn with the rest
    /// at the scale of the result, as far as its limit allows.
    private static func decoding(
        _ logical: PixelSize, _ cropped: Area, _ scale: ResizeScale, _ scaled: PixelSize, swaps: Bool, drawing: Limit?
    ) -> (ImageTarget?, Area?) {
        let isWhole = cropped.size == logical
        var factor = max(scale.x, scale.y)
        if factor >= 1, drawing == nil, !isWhole || scale.x != scale.y { return (nil, isWhole ? nil : cropped) }
        var decoded = isWhole && scale.x == scale.y ? scaled : logical.scaled(factor, factor)
        while let excess = drawing?.excess(of: decoded, area: decoded.area), excess > 1 {
            // More than once because sides are rounded.
            factor /= max(excess, 1.001)
            decoded = logical.scaled(factor, factor)
        }
        if isWhole { return (decoded == logical ? nil : target(decoded, swaps), nil) }
        return (target(decoded, swaps), cropped.scaled(factor, within: decoded))
    }

    private static func target(_ size: PixelSize, _ swaps: Bool) -> ImageTarget {
        ImageTarget(swaps ? size.transposed : size, mode: .fill, upscales: true)
    }

    private static func resultSize(
        _ scaled: PixelSize, _ scale: ResizeScale, _ options: ProcessingOptions
    ) -> PixelSize {
        let wanted = wantedSize(scale, options)
        let (width, height) = (Double(wanted.width), Double(wanted.height))
        if options.resizingType == .fillDown, !options.enlarges, wanted.width > 0, wanted.height > 0 {
            let missing = (x: width / Double(scaled.width), y: height / Double(scaled.height))
            if missing.x > missing.y, missing.x > 1 {
                return scaled.limited(
                    to: PixelSize(
                        width: scaled.width, height: Int((Double(scaled.width) * height / width).rounded())))
            }
            if missing.y > missing.x, missing.y > 1 {
                return scaled.limited(
                    to: PixelSize(
                        width: Int((Double(scaled.height) * width / height).rounded()), height: scaled.height))
            }
        }
        return scaled.limited(to: wanted)
    }

    /// The width and the height of the options in pixels of the result; 0 if they are not given.
    private static func wantedSize(_ scale: ResizeScale, _ options: ProcessingOptions) -> PixelSize {
        func side(_ pixels: Int, _ zoom: Double) -> Int {
            pixels == 0 ? 0 : max(1, PixelSize.side(Double(pixels) * zoom * scale.dpr))
        }
        return PixelSize(
            width: side(options.width, options.zoom.x), height: side(options.height, options.zoom.y))
    }

    private static func canvas(_ result: PixelSize, _ scale: ResizeScale, _ options: ProcessingOptions) -> Area? {
        var area = Area(x: 0, y: 0, size: result)
        let wanted = wantedSize(scale, options)
        if options.extends.isEnabled {
            area.extend(to: wanted, options.extends.gravity, scale.dpr)
        }
        if options.extendsAspectRatio.isEnabled, wanted.width > 0, wanted.height > 0 {
            area.extend(
                to: area.size.enlarged(toAspectRatioOf: wanted), options.extendsAspectRatio.gravity, scale.dpr)
        }
        area.pad(options.padding, scale.dpr)
        return area == Area(x: 0, y: 0, size: result) ? nil : area
    }
}

extension RenderingPlan.Area {
    /// Enlarges the canvas, where it is smaller than a size, and places the image on it.
    fileprivate mutating func extend(to wanted: PixelSize, _ gravity: Gravity, _ scale: Double) {
        let larger = PixelSize(width: max(size.width, wanted.width), height: max(size.height, wanted.height))
        let origin = gravity.area(of: size, in: larger, scale: scale)
        self = RenderingPlan.Area(x: x + origin.x, y: y + origin.y, size: larger)
    }

    fileprivate mutating func pad(_ padding: ProcessingOptions.Padding, _ scale: Double) {
        func pixels(_ side: Int) -> Int { Int((Double(side) * scale).rounded()) }
        x += pixels(padding.left)
        y += pixels(padding.top)
        size.width += pixels(padding.left) + pixels(padding.right)
        size.height += pixels(padding.top) + pixels(padding.bottom)
    }

    /// Returns the area in an image that is scaled by a factor.
    fileprivate func scaled(_ factor: Double, within outer: PixelSize) -> RenderingPlan.Area {
        let size = size.scaled(factor, factor)
        let limited = PixelSize(width: min(size.width, outer.width), height: min(size.height, outer.height))
        return RenderingPlan.Area(
            x: min(Int((Double(x) * factor).rounded()), outer.width - limited.width),
            y: min(Int((Double(y) * factor).rounded()), outer.height - limited.height), size: limited)
    }
}

extension Gravity {
    fileprivate func area(of inner: PixelSize, in outer: PixelSize, scale: Double = 1) -> RenderingPlan.Area {
        let origin = origin(of: (inner.width, inner.height), in: (outer.width, outer.height), scale: scale)
        return RenderingPlan.Area(x: origin.x, y: origin.y, size: inner)
    }
}

extension PixelSize {
    fileprivate func scaled(_ x: Double, _ y: Double) -> PixelSize {
        PixelSize(width: max(1, Self.side(Double(width) * x)), height: max(1, Self.side(Double(height) * y)))
    }

    /// Returns a rounded length, limited so that areas don't overflow.
    fileprivate static func side(_ length: Double) -> Int { Int(min(length, 1e9).rounded()) }

    /// Returns the size with each side at most that of another one, where 0 is no limit.
    fileprivate func limited(to other: PixelSize) -> PixelSize {
        PixelSize(
            width: other.width > 0 ? min(width, max(1, other.width)) : width,
            height: other.height > 0 ? min(height, max(1, other.height)) : height)
    }

    fileprivate func enlarged(toAspectRatioOf other: PixelSize) -> PixelSize {
        let ratio = Double(other.width) / Double(other.height)
        return PixelSize(
            width: max(width, Self.side(Double(height) * ratio)),
            height: max(height, Self.side(Double(width) / ratio)))
    }
}

extension ImageOrientation {
    /// The orientation that undoes this one.
    fileprivate var inverse: ImageOrientation {
        switch self {
        case .right: .left
        case .left: .right
        default: self
        }
    }
}
