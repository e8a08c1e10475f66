import ImageCore

/// A converter that supports one invented profile for each layout and one other color, and inverts the colors.
///
/// It ignores all other colors. Its gamut of the profiles is sRGB, and that of the other color is Display P3.
struct FakeColorConverter: ColorConverter {
    /// Returns the supported profile for images in `layout`.
    static func profile(for layout: PixelLayout) -> Data { Data("inverted \(layout)".utf8) }

    /// The supported color without a profile. Its gamma of -1 doesn't occur in real images.
    static let color = SourceColor(transfer: .gamma(-1))

    func makeStage(
        from color: SourceColor, layout: PixelLayout, to space: ColorSpace, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        gamut(of: color, layout: layout).map { _ in InvertingStage(layout: layout, width: width, next: next) }
    }

    func gamut(of color: SourceColor, layout: PixelLayout) -> ColorSpace? {
        if color == Self.color, layout == .rgba8 { return .displayP3 }
        return color.profile == Self.profile(for: layout) ? .sRGB : nil
    }
}

private final class InvertingStage: PixelRowSink {
    private let layout: PixelLayout
    private let width: Int
    private let next: any PixelRowSink

    init(layout: PixelLayout, width: Int, next: any PixelRowSink) {
        self.layout = layout
        self.width = width
        self.next = next
    }

    func receive(_ row: Span<UInt8>) throws(ImageDecodingError) {
        precondition(row.count == width * layout.bytesPerPixel, "a row of \(row.count) bytes for \(width) pixels")
        var output: [UInt8] = []
        for x in 0..<width {
            let start = x * layout.bytesPerPixel
            switch layout {
            case .rgba8: output += [255 - row[start], 255 - row[start + 1], 255 - row[start + 2], row[start + 3]]
            case .gray8: output += [255 - row[start], 255 - row[start], 255 - row[start], 255]
            case .grayAlpha8: output += [255 - row[start], 255 - row[start], 255 - row[start], row[start + 1]]
            case .cmyk8: output += [row[start], row[start + 1], row[start + 2], 255]
            case .rgba16: output += (0..<3).map { 255 - row[start + 2 * $0] } + [row[start + 6]]
            }
        }
        try next.receive(output.span)
    }
}
