import CImageColorManagement
public import ImageCore
import Synchronization

/// Converts pixels with an embedded ICC profile with Little CMS, and others with `RGBColorConverter`, row by row.
///
/// The rendering intent is relative colorimetric without black point compensation: colors inside the gamut of the result
/// are preserved, and white is mapped to white. Alpha is copied. You can create and use stages concurrently. A converter
/// and its copies share a cache of transforms, so use one for many images.
public struct LittleCMSColorConverter: ColorConverter {
    private let transforms = ColorTransformCache()
    private let others = RGBColorConverter()

    /// Creates a converter with an empty cache.
    public init() {}

    /// Creates a stage that applies a color.
    ///
    /// Also returns nil if it changes no sample color by more than one level, like an sRGB profile for sRGB.
    public func makeStage(
        from color: SourceColor, layout: PixelLayout, to space: ColorSpace, width: Int, next: any PixelRowSink
    ) -> (any PixelRowSink)? {
        guard let profile = color.profile, !color.isHDR else {
            return others.makeStage(from: color, layout: layout, to: space, width: width, next: next)
        }
        guard let transform = transforms.transform(from: profile, layout, to: space), !transform.isIdentity else {
            return nil
        }
        return ConversionStage(transform, layout: layout, width: width, next: next)
    }

    public func gamut(of color: SourceColor, layout: PixelLayout) -> ColorSpace? {
        guard let profile = color.profile, !color.isHDR else { return others.gamut(of: color, layout: layout) }
        return transforms.transform(from: profile, layout, to: .displayP3).map { $0.exceedsSRGB ? .displayP3 : .sRGB }
    }
}

/// A Little CMS transform from a profile and layout to RGBA in a color space.
///
/// Safe: the handle is valid from `init` to `deinit`, is not exposed, and lengths are checked before each use.
/// Sendable: the transform is immutable, because the one-pixel cache of Little CMS is disabled.
@safe final class ColorTransform: PixelConversion, @unchecked Sendable {
    /// Whether the transform changes no sample color by more than one level, like an sRGB profile for sRGB.
    private(set) var isIdentity = false
    private let layout: PixelLayout
    private let handle: OpaquePointer

    /// Returns nil if the profile can't be read or is for a different layout.
    init?(profile: Data, layout: PixelLayout, space: ColorSpace) {
        guard let cLayout = layout.cLayout else { return nil }
        let target = space.profile ?? Data()
        let handle = unsafe profile.withUnsafeBytes { source in
            unsafe target.withUnsafeBytes { target in
                unsafe color_transform_open(
                    source.baseAddress, source.count, cLayout, target.isEmpty ? nil : target.baseAddress, target.count)
            }
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
        self.layout = layout
        isIdentity = changesNoSample
    }

    deinit { unsafe color_transform_close(handle) }

    func apply(_ pixels: Span<UInt8>, into target: inout MutableSpan<UInt8>) {
        let count = pixels.count / layout.bytesPerPixel
        precondition(target.count >= 4 * count, "the target is too short")
        unsafe pixels.withUnsafeBufferPointer { input in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe color_transform_apply(handle, input.baseAddress, target.baseAddress, count)
            }
        }
    }

    private var changesNoSample: Bool {
        guard layout != .cmyk8 else { return false }
        let samples = layout.samples
        return zip(samples.rgba, converted(samples.pixels)).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    /// Whether a transform to Display P3 gives colors that sRGB doesn't have, by more than 2% of white.
    var exceedsSRGB: Bool {
        let rgba = converted(layout.samples.pixels)
        let matrix = RGBPrimaries.displayP3.matrix(to: .sRGB)
        func light(_ index: Int) -> Double { ColorSpace.displayP3.transfer.light(of: Double(rgba[index]) / 255) }
        return stride(from: 0, to: rgba.count, by: 4).contains { index in
            (matrix * SIMD3(light(index), light(index + 1), light(index + 2))).min() < -0.02
        }
    }

    private func converted(_ pixels: [UInt8]) -> [UInt8] {
        var converted = [UInt8](repeating: 0, count: pixels.count / layout.bytesPerPixel * 4)
        var target = converted.mutableSpan
        apply(pixels.span, into: &target)
        return converted
    }
}

extension PixelLayout {
    /// Nil for rows that Little CMS doesn't convert.
    fileprivate var cLayout: color_layout? {
        switch self {
        case .rgba8: color_layout_rgba
        case .gray8: color_layout_gray
        case .grayAlpha8: color_layout_gray_alpha
        case .cmyk8: color_layout_cmyk
        case .rgba16: nil
        }
    }

    /// Opaque pixels in this layout, and their values in RGBA if they stay the same. CMYK has no such values.
    fileprivate var samples: (pixels: [UInt8], rgba: [UInt8]) {
        switch self {
        case .gray8: (SampleColors.levels, SampleColors.grays)
        case .grayAlpha8: (SampleColors.levels.reduce(into: []) { $0 += [$1, 255] }, SampleColors.grays)
        case .rgba8: (SampleColors.grid, SampleColors.grid)
        case .cmyk8, .rgba16: (SampleColors.inks, [])
        }
    }
}

/// Colors that distinguish color spaces.
private enum SampleColors {
    /// The levels are closer together near black, where tone curves differ most.
    static let levels: [UInt8] = [0, 8, 24, 51, 102, 128, 153, 204, 255]

    static var grays: [UInt8] { levels.reduce(into: []) { $0 += [$1, $1, $1, 255] } }

    /// All combinations of no and full ink, without black.
    static var inks: [UInt8] {
        (0..<8).flatMap { ink in [UInt8]((0..<3).map { ink >> $0 & 1 == 0 ? 0 : 255 } + [0]) }
    }

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
    private struct Key: Hashable {
        var profile: Data
        var layout: PixelLayout
        var space: ColorSpace
    }

    /// A transform is nil if its profile is ignored.
    private let transforms = Mutex<[Key: ColorTransform?]>([:])

    /// Returns the cached transform, or creates one. Concurrent callers may each create one. Transforms of profiles above 1
    /// MiB are not cached. Returns nil for a profile that can't be applied.
    func transform(from profile: Data, _ layout: PixelLayout, to space: ColorSpace) -> ColorTransform? {
        let key = Key(profile: profile, layout: layout, space: space)
        if let found = transforms.withLock({ $0[key] }) { return found }
        let transform = ColorTransform(profile: profile, layout: layout, space: space)
        if profile.count > 1 << 20 { return transform }
        transforms.withLock {
            if $0.count == 8 { $0.removeAll() }
            $0.updateValue(transform, forKey: key)
        }
        return transform
    }
}
