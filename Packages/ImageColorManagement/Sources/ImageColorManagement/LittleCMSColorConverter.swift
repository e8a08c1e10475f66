public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Converts pixels with an embedded ICC profile, or with a calibration, to sRGB with Little CMS, row by row.
///
/// The rendering intent is relative colorimetric without black point compensation: colors inside the sRGB gamut are
/// preserved, and white is mapped to white. Alpha is copied. You can create and use stages concurrently. A converter and
/// its copies share a cache of transforms, so use one for many images.
public struct LittleCMSColorConverter: ColorConverter {
    private let transforms = ColorTransformCache()

    /// Creates a converter with an empty cache.
    public init() {}

    /// Creates a stage that applies a profile.
    ///
    /// Also returns nil if the profile changes no sample color by more than one level, like an sRGB profile.
    public func makeStage(
        profile: Data, layout: PixelLayout, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        let transform = transforms.transform(for: .profile(profile, layout)) {
            ColorTransform(profile: profile, layout: layout).flatMap { $0.isIdentity ? nil : $0 }
        }
        return transform.map { ColorConvertingStage(transform: $0, width: width, next: next) }
    }

    /// Creates a stage that applies a calibration.
    ///
    /// Also returns nil if the calibration changes no sample color by more than one level. If white and primaries are those
    /// of sRGB, a lookup table converts each level exactly, rounded to the nearest integer.
    public func makeStage(
        calibration: ColorCalibration, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        let transform = transforms.transform(for: .calibration(calibration)) {
            ColorTransform(calibration).flatMap { $0.isIdentity ? nil : $0 }
        }
        return transform.map { ColorConvertingStage(transform: $0, width: width, next: next) }
    }
}

/// Converts the rows of one image.
private final class ColorConvertingStage: PixelRowSink {
    private let transform: ColorTransform
    private let next: any PixelRowSink
    private let width: Int
    private var row: [UInt8]

    init(transform: ColorTransform, width: Int, next: any PixelRowSink) {
        self.transform = transform
        self.next = next
        self.width = width
        row = [UInt8](repeating: 0, count: 4 * width)
    }

    /// - Precondition: The row has the width and layout of the stage.
    func receive(_ source: Span<UInt8>) throws(DecodingFailure) {
        precondition(source.count == width * transform.layout.bytesPerPixel, "the row has the wrong length")
        // The swap avoids a copy of the array while it is written.
        var converted: [UInt8] = []
        swap(&converted, &row)
        defer { swap(&converted, &row) }
        var target = converted.mutableSpan
        transform.apply(source, into: &target)
        try next.receive(converted.span)
    }
}
