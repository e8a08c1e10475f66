/// Converts colors that files describe by primaries and a transfer function, and tone-maps HDR.
///
/// Ignores ICC profiles, unless they describe HDR. It has no state. See `LittleCMSColorConverter` of
/// ImageColorManagement for all profiles.
public struct RGBColorConverter: ColorConverter {
    /// Creates a converter.
    public init() {}

    public func makeStage(
        from color: SourceColor, layout: PixelLayout, to space: ColorSpace, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        if color.isHDR {
            guard let conversion = ToneMapping(from: color, layout: layout, to: space) else { return nil }
            return ConversionStage(conversion, layout: layout, width: width, next: next)
        }
        let isSame = color.primaries == space.primaries && color.transfer == space.transfer
        guard color.profile == nil, !isSame, layout == .rgba8, let conversion = RGBConversion(from: color, to: space),
            !conversion.isIdentity
        else { return nil }
        return ConversionStage(conversion, layout: layout, width: width, next: next)
    }

    public func gamut(of color: SourceColor, layout: PixelLayout) -> ColorSpace? {
        guard layout == .rgba8 || layout == .rgba16, color.profile == nil || color.isHDR else { return nil }
        let colors = color.primaries.matrix(to: .sRGB).columns
        // Within 2%, which rounded chromaticities and profiles can differ, the gamut is that of sRGB.
        return colors.allSatisfy { $0.min() > -0.02 } ? .sRGB : .displayP3
    }
}

/// Converts the rows of one image.
package final class ConversionStage: PixelRowSink {
    private let conversion: any PixelConversion
    private let next: any PixelRowSink
    private let rowBytes: Int
    private var row: [UInt8]

    /// - Parameter layout: The layout that the conversion converts from.
    package init(_ conversion: any PixelConversion, layout: PixelLayout, width: Int, next: any PixelRowSink) {
        self.conversion = conversion
        self.next = next
        rowBytes = width * layout.bytesPerPixel
        row = [UInt8](repeating: 0, count: 4 * width)
    }

    /// - Precondition: The row has the width and layout of the stage.
    package func receive(_ input: Span<UInt8>) throws(ImageDecodingError) {
        precondition(input.count == rowBytes, "the row has the wrong length")
        // The swap avoids a copy of the array while it is written.
        var converted: [UInt8] = []
        swap(&converted, &row)
        defer { swap(&converted, &row) }
        var target = converted.mutableSpan
        conversion.apply(input, into: &target)
        try next.receive(converted.span)
    }
}
