import ImageCore

/// How a stored image becomes the wanted one: what the codec is asked for, and what is left to do after it.
///
/// All but `output` is in stored orientation: the image is turned last, when it is small.
struct DownsamplingPlan: Hashable {
    /// What is done to the rows that the codec hands over.
    enum Step: Hashable {
        /// They are the output.
        case keep
        /// The output is a part of them, pixel for pixel, from this column and row on.
        case crop(x: Int, y: Int)
        /// This part of them is resampled.
        case resample(PixelRegion)
    }

    /// Size of the upright result.
    let output: PixelSize
    /// Size of the result before it is turned upright.
    let storedOutput: PixelSize
    /// The size at which the codec decodes.
    let codecSize: PixelSize
    let step: Step

    /// - Parameters:
    ///   - oversampling: how many times larger than the output the codec's image should be, at least 1.
    ///   - decodableSize: the codec's `decodableSize(covering:)`.
    init(
        header: ImageHeader, target: ImageTarget?, oversampling: Double, decodableSize: (PixelSize) -> PixelSize
    ) {
        let stored = header.storedSize
        output = target?.outputSize(for: header.size) ?? header.size
        storedOutput = header.orientation.swapsAxes ? output.transposed : output
        guard var target, storedOutput != stored else {
            (codecSize, step) = (stored, .keep)
            return
        }
        if header.orientation.swapsAxes { target.size = target.size.transposed }
        let region = target.region(of: stored)
        codecSize = Self.codecSize(
            stored: stored, scale: Self.scale(from: region, for: target, output: storedOutput),
            oversampling: oversampling, decodableSize: decodableSize)
        step = Self.step(from: region, of: stored, decodedAt: codecSize, to: storedOutput)
    }

    /// By what the image is scaled; for `fit` before its shorter side is rounded to whole pixels.
    private static func scale(from region: PixelRegion, for target: ImageTarget, output: PixelSize) -> Double {
        if target.mode == .fit {
            return min(
                Double(max(1, target.size.width)) / region.width, Double(max(1, target.size.height)) / region.height)
        }
        return max(Double(output.width) / region.width, Double(output.height) / region.height)
    }

    /// One percent below the wanted oversampling is near enough: it does not show, and the codec's next larger size
    /// costs up to four times as much.
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
        return .resample(scaled)
    }

    /// By what a codec has scaled. Codecs that scale by eighths round sides up, so that their last column and row may be
    /// a part of a pixel only: 751 columns halved are 375.5, not 376.
    private static func codecScale(
        stored: PixelSize, decoded: PixelSize
    ) -> (horizontal: Double, vertical: Double) {
        for eighths in 1...8 {
            let size = PixelSize(width: (stored.width * eighths + 7) / 8, height: (stored.height * eighths + 7) / 8)
            if size == decoded { return (Double(eighths) / 8, Double(eighths) / 8) }
        }
        return (
            Double(decoded.width) / Double(stored.width), Double(decoded.height) / Double(stored.height)
        )
    }
}

extension DownsamplingPlan {
    /// Bytes of the output and of what the codec holds beside it. `Int.max` when they overflow.
    func decodedBytes(heldByCodec held: Int) -> Int {
        let (output, tooLarge) = output.area.multipliedReportingOverflow(by: 4)
        let (sum, tooMany) = output.addingReportingOverflow(held)
        return tooLarge || tooMany ? .max : sum
    }
}
