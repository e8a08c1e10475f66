import ImageCore

/// The steps from a stored image to its target: the size at which the codec decodes, and the work that remains.
///
/// All values except `output` are in stored orientation, because the image is rotated last, when it is small.
struct DownsamplingPlan: Hashable {
    /// The processing of the rows of the codec.
    enum Step: Hashable {
        /// The rows are the output.
        case keep
        /// The output is a rectangle of the rows that starts at this column and row.
        case crop(x: Int, y: Int)
        /// The output is resampled from this region of the rows.
        case resample(PixelRegion)
    }

    /// The size of the upright result.
    let output: PixelSize
    /// The size of the result in stored orientation.
    let storedOutput: PixelSize
    /// The size at which the codec decodes.
    let codecSize: PixelSize
    /// The part of the stored image that the codec decodes; nil for all.
    private(set) var codecPart: PixelArea?
    private(set) var step: Step

    /// The size of the rows of the codec.
    var rows: PixelSize { codecPart?.size ?? codecSize }

    /// - Parameters:
    ///   - decodesParts: Whether the codec can decode a part of the image.
    ///   - decodableSize: `decodableSize(covering:)` of the codec.
    init(
        header: ImageHeader, target: ImageTarget?, decodesParts: Bool = false, decodableSize: (PixelSize) -> PixelSize
    ) {
        let stored = header.storedSize
        output = target?.outputSize(for: header.size) ?? header.size
        storedOutput = header.orientation.swapsAxes ? output.transposed : output
        guard var target, storedOutput != stored || target.part != nil else {
            codecSize = stored
            step = .keep
            return
        }
        if header.orientation.swapsAxes { target.size = target.size.transposed }
        target.part = target.part.map { header.storedArea(of: $0.inside(header.size)) }
        let region = target.region(of: stored)
        // An image that a codec has scaled is blurred near its resolution.
        let oversampling = target.preference == .speed ? 1.0 : 2
        // Codecs average stored values, not light.
        codecSize =
            target.usesLinearLight
            ? stored
            : Self.codecSize(
                stored: stored, scale: Self.scale(from: region, for: target, output: storedOutput),
                oversampling: oversampling, decodableSize: decodableSize)
        step = Self.step(from: region, of: stored, decodedAt: codecSize, to: storedOutput)
        if decodesParts, target.part != nil, codecSize == stored { leaveOutRows(around: region) }
    }

    /// Lets the codec decode only what the output is made of.
    private mutating func leaveOutRows(around region: PixelRegion) {
        var part = PixelArea(
            left: Int(region.x), top: Int(region.y), width: Int(region.width.rounded(.up)),
            height: Int(region.height.rounded(.up)))
        if case .resample = step {
            // The filter reaches over three pixels of the output.
            let x = Int(3 * region.width / Double(storedOutput.width)) + 2
            let y = Int(3 * region.height / Double(storedOutput.height)) + 2
            part = PixelArea(
                left: part.left - x, top: part.top - y, width: part.width + 2 * x, height: part.height + 2 * y)
        }
        part = part.inside(codecSize)
        codecPart = part
        switch step {
        case .keep: break
        case .crop: step = .crop(x: 0, y: 0)
        case .resample(var inside):
            inside.x -= Double(part.left)
            inside.y -= Double(part.top)
            step = .resample(inside)
        }
    }

    /// Returns the scale from the stored size to the output. For `fit`, without the rounding of the shorter side.
    private static func scale(from region: PixelRegion, for target: ImageTarget, output: PixelSize) -> Double {
        if target.mode == .fit {
            return min(
                Double(max(1, target.size.width)) / region.width, Double(max(1, target.size.height)) / region.height)
        }
        return max(Double(output.width) / region.width, Double(output.height) / region.height)
    }

    /// Returns the size at which the codec decodes. It may be one percent below the desired oversampling, which is not
    /// visible: the next larger size of the codec can have four times as many pixels.
    private static func codecSize(
        stored: PixelSize, scale: Double, oversampling: Double, decodableSize: (PixelSize) -> PixelSize
    ) -> PixelSize {
        let factor = max(scale, scale * oversampling * 0.99)
        if factor >= 1 { return stored }
        func covering(_ side: Int) -> Int { min(side, max(1, Int((Double(side) * factor - 1e-6).rounded(.up)))) }
        return decodableSize(PixelSize(width: covering(stored.width), height: covering(stored.height)))
    }

    private static func step(
        from region: PixelRegion, of stored: PixelSize, decodedAt codecSize: PixelSize, to output: PixelSize
    ) -> Step {
        let scale = codecScale(stored: stored, decoded: codecSize)
        let scaled = PixelRegion(
            x: region.x * scale.horizontal, y: region.y * scale.vertical, width: region.width * scale.horizontal,
            height: region.height * scale.vertical)
        if codecSize == stored, region.width == Double(output.width), region.height == Double(output.height),
            let x = Int(exactly: region.x), let y = Int(exactly: region.y)
        {
            return .crop(x: x, y: y)
        }
        return codecSize == output && scaled == PixelRegion(output) ? .keep : .resample(scaled)
    }

    /// Returns the scale of the codec. Codecs that scale in steps of 1/8 round the sides up, so that the last column
    /// and row can be a fraction of a pixel: half of 751 columns are 375.5, not 376. Of the scales that give the size of a
    /// tiny image, the largest one applies, as in codecs.
    private static func codecScale(
        stored: PixelSize, decoded: PixelSize
    ) -> (horizontal: Double, vertical: Double) {
        for eighths in (1...8).reversed() {
            let size = PixelSize(width: (stored.width * eighths + 7) / 8, height: (stored.height * eighths + 7) / 8)
            if size == decoded { return (Double(eighths) / 8, Double(eighths) / 8) }
        }
        return (
            Double(decoded.width) / Double(stored.width), Double(decoded.height) / Double(stored.height)
        )
    }
}

extension DownsamplingPlan {
    /// Returns the size of the output and the memory of the codec in bytes, or `Int.max` if it overflows.
    func decodedBytes(heldByCodec held: Int) -> Int { output.byteCount(.rgba8).plus(held) }
}
