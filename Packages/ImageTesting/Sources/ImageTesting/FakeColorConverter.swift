package import ImageCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A converter that supports one invented profile for each layout and one calibration, and inverts the colors.
///
/// It ignores all other profiles and calibrations.
package struct FakeColorConverter: ColorConverter {
    /// Creates a converter.
    package init() {}

    /// Returns the supported profile for images in `layout`.
    package static func profile(for layout: PixelLayout) -> Data { Data("inverted \(layout)".utf8) }

    /// The supported calibration. Its gamma of -1 doesn't occur in real images.
    package static let calibration = ColorCalibration(transfer: .gamma(-1))

    package func makeStage(
        calibration: ColorCalibration, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        calibration == Self.calibration ? InvertingStage(layout: .rgba8, width: width, next: next) : nil
    }

    package func makeStage(
        profile: Data, layout: PixelLayout, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        profile == Self.profile(for: layout) ? InvertingStage(layout: layout, width: width, next: next) : nil
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

    func receive(_ row: Span<UInt8>) throws(DecodingFailure) {
        precondition(row.count == width * layout.bytesPerPixel, "a row of \(row.count) bytes for \(width) pixels")
        var output: [UInt8] = []
        for x in 0..<width {
            let start = x * layout.bytesPerPixel
            switch layout {
            case .rgba8: output += [255 - row[start], 255 - row[start + 1], 255 - row[start + 2], row[start + 3]]
            case .gray8: output += [255 - row[start], 255 - row[start], 255 - row[start], 255]
            case .grayAlpha8: output += [255 - row[start], 255 - row[start], 255 - row[start], row[start + 1]]
            case .cmyk8: output += [row[start], row[start + 1], row[start + 2], 255]
            }
        }
        try next.receive(output.span)
    }
}
