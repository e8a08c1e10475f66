public import ImageCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Turns pixels with an embedded ICC profile, or with a calibration, into sRGB with Little CMS, row by row.
///
/// Relative colorimetric, without black point compensation: colours that sRGB has stay what they are, white becomes
/// white. Alpha is copied. Stages may be made and used on any threads at once. A converter and its copies keep the last
/// few transforms, so use one for many images; two converters share nothing.
public struct LittleCMSColorConverter: ColorConverter {
    private let transforms = ColorTransformCache()

    /// Makes a converter that has made no transforms yet.
    public init() {}

    /// Nil as well when the profile changes none of a set of probe colours by more than one level: that is sRGB, under
    /// whatever name.
    public func makeStage(
        profile: Data, layout: PixelLayout, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        let transform = transforms.transform(for: .profile(profile, layout)) {
            ColorTransform(profile: profile, layout: layout).flatMap { $0.isIdentity ? nil : $0 }
        }
        return transform.map { ColorConvertingStage(transform: $0, width: width, next: next) }
    }

    /// Nil as well when the calibration changes none of the probe colours by more than one level. Where white and primaries
    /// are those of sRGB a table does it, and each level is the nearest.
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

    /// - Precondition: the row has the width and layout that the stage was made for.
    func receive(_ source: Span<UInt8>) throws(DecodingFailure) {
        precondition(source.count == width * transform.layout.bytesPerPixel, "a row of another length than agreed")
        // Moved out and back, so that it is written in place.
        var converted: [UInt8] = []
        swap(&converted, &row)
        defer { swap(&converted, &row) }
        var target = converted.mutableSpan
        transform.apply(source, into: &target)
        try next.receive(converted.span)
    }
}
