import CImageColorManagement
public import ImageCore
import Synchronization

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
    func receive(_ input: Span<UInt8>) throws(DecodingFailure) {
        precondition(input.count == width * transform.layout.bytesPerPixel, "the row has the wrong length")
        // The swap avoids a copy of the array while it is written.
        var converted: [UInt8] = []
        swap(&converted, &row)
        defer { swap(&converted, &row) }
        var target = converted.mutableSpan
        transform.apply(input, into: &target)
        try next.receive(converted.span)
    }
}

/// A Little CMS transform from a profile and layout, or from a calibration, to RGBA in sRGB.
///
/// Safe: the handle is valid from `init` to `deinit`, is not exposed, and lengths are checked before each use.
/// Sendable: the transform is immutable, because the one-pixel cache of Little CMS is disabled.
@safe final class ColorTransform: @unchecked Sendable {
    let layout: PixelLayout
    private let handle: OpaquePointer

    /// Returns nil if the profile can't be read or is for a different layout.
    init?(profile: Data, layout: PixelLayout) {
        let handle = unsafe profile.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe color_transform_open(start, bytes.count, layout.cLayout)
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
        self.layout = layout
    }

    /// Creates a transform for rows of RGBA. Returns nil if the calibration can't be applied.
    init?(_ calibration: ColorCalibration) {
        var cCalibration = calibration.cValue
        guard cCalibration.curve.isValid else { return nil }
        let handle: OpaquePointer?
        if calibration.hasSRGBPrimaries {
            unsafe handle = unsafe color_transform_open_curve(&cCalibration.curve)
        } else {
            unsafe handle = unsafe color_transform_open_calibrated(&cCalibration)
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
        layout = .rgba8
    }

    deinit { unsafe color_transform_close(handle) }

    /// Converts complete pixels in `layout` to four bytes per pixel.
    func apply(_ pixels: Span<UInt8>, into target: inout MutableSpan<UInt8>) {
        let count = pixels.count / layout.bytesPerPixel
        precondition(target.count >= 4 * count, "the target is too short")
        unsafe pixels.withUnsafeBufferPointer { input in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe color_transform_apply(handle, input.baseAddress, target.baseAddress, count)
            }
        }
    }

    /// Whether the transform changes no sample color by more than one level, like an sRGB profile.
    var isIdentity: Bool {
        guard let samples = layout.samples else { return false }
        var converted = [UInt8](repeating: 0, count: samples.rgba.count)
        var target = converted.mutableSpan
        apply(samples.pixels.span, into: &target)
        return zip(samples.rgba, converted).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }
}

extension ColorCalibration {
    fileprivate var hasSRGBPrimaries: Bool { self == ColorCalibration(transfer: transfer) }

    fileprivate var cValue: color_calibration {
        color_calibration(
            chromaticities: ((white.x, white.y), (red.x, red.y), (green.x, green.y), (blue.x, blue.y)),
            curve: transfer.cValue)
    }
}

extension ColorCalibration.Transfer {
    fileprivate var cValue: color_curve {
        switch self {
        case .gamma(let exponent): color_curve(exponent: exponent, scale: 1, offset: 0, slope: 0, threshold: 0)
        case .srgb:
            color_curve(exponent: 2.4, scale: 1 / 1.055, offset: 0.055 / 1.055, slope: 1 / 12.92, threshold: 0.04045)
        case .parametric(let exponent, let scale, let offset, let slope, let threshold):
            color_curve(exponent: exponent, scale: scale, offset: offset, slope: slope, threshold: threshold)
        }
    }
}

extension color_curve {
    fileprivate var isValid: Bool {
        exponent > 0 && [exponent, scale, offset, slope, threshold].allSatisfy(\.isFinite)
    }
}

extension PixelLayout {
    fileprivate var cLayout: color_layout {
        switch self {
        case .rgba8: color_layout_rgba
        case .gray8: color_layout_gray
        case .grayAlpha8: color_layout_gray_alpha
        case .cmyk8: color_layout_cmyk
        }
    }

    /// Opaque pixels in this layout, and their values in RGBA if they are in sRGB. Nil for CMYK.
    fileprivate var samples: (pixels: [UInt8], rgba: [UInt8])? {
        switch self {
        case .gray8: (SampleColors.levels, SampleColors.grays)
        case .grayAlpha8: (SampleColors.levels.reduce(into: []) { $0 += [$1, 255] }, SampleColors.grays)
        case .rgba8: (SampleColors.grid, SampleColors.grid)
        case .cmyk8: nil
        }
    }
}

/// Colors that distinguish color spaces.
private enum SampleColors {
    /// The levels are closer together near black, where tone curves differ most.
    static let levels: [UInt8] = [0, 8, 24, 51, 102, 128, 153, 204, 255]

    static var grays: [UInt8] { levels.reduce(into: []) { $0 += [$1, $1, $1, 255] } }

    /// All combinations of the levels.
    static var grid: [UInt8] {
        var rgba: [UInt8] = []
        for red in levels {
            for green in levels {
                for blue in levels { rgba += [red, green, blue, 255] }
            }
        }
        return rgba
    }
}

/// The last transforms, up to eight. Creating one can take longer than decoding a thumbnail, and images from the same
/// camera or site often have the same profile.
final class ColorTransformCache: Sendable {
    /// The input from which a transform is created.
    enum Source: Hashable, Sendable {
        case profile(Data, PixelLayout)
        case calibration(ColorCalibration)
    }

    /// A transform is nil if its source is ignored.
    private let transforms = Mutex<[Source: ColorTransform?]>([:])

    /// Returns the cached transform for `source`, or creates one with `make`. Concurrent callers may each create one.
    /// Transforms of profiles above 1 MiB are not cached.
    func transform(for source: Source, make: () -> ColorTransform?) -> ColorTransform? {
        if case .profile(let data, _) = source, data.count > 1 << 20 { return make() }
        if let found = transforms.withLock({ $0[source] }) { return found }
        let transform = make()
        transforms.withLock {
            if $0.count == 8 { $0.removeAll() }
            $0.updateValue(transform, forKey: source)
        }
        return transform
    }
}
