import CImageColorManagement
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Owns a Little CMS transform from one profile and layout, or calibration, to RGBA in sRGB.
///
/// Safe: the handle is valid from `init` to `deinit`, never leaves the class, and lengths are checked before each use.
/// Sendable: after it is made nothing changes behind the handle, since Little CMS is told to keep no last pixel.
@safe final class ColorTransform: @unchecked Sendable {
    let layout: PixelLayout
    private let handle: OpaquePointer

    /// Nil when the profile can't be read or is not for this layout.
    init?(profile: Data, layout: PixelLayout) {
        let handle = unsafe profile.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe color_transform_open(start, bytes.count, layout.shimLayout)
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
        self.layout = layout
    }

    /// For rows of RGBA; nil when it can't be applied.
    init?(_ calibration: ColorCalibration) {
        var gamma = 0.0
        if case .gamma(let exponent) = calibration.transfer { gamma = exponent }
        let handle: OpaquePointer?
        if calibration.hasColorsOfSRGB, gamma > 0 {
            unsafe handle = unsafe color_transform_open_tones(gamma)
        } else {
            var shimmed = calibration.shimmed(gamma: gamma)
            unsafe handle = unsafe color_transform_open_calibrated(&shimmed)
        }
        guard let handle = unsafe handle else { return nil }
        unsafe self.handle = handle
        layout = .rgba8
    }

    deinit { unsafe color_transform_close(handle) }

    /// - Parameters:
    ///   - pixels: whole pixels of `layout`.
    ///   - target: at least four bytes for each of them.
    func apply(_ pixels: Span<UInt8>, into target: inout MutableSpan<UInt8>) {
        let count = pixels.count / layout.bytesPerPixel
        precondition(target.count >= 4 * count, "the target is too short")
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe color_transform_apply(handle, source.baseAddress, target.baseAddress, count)
            }
        }
    }

    /// Whether the transform leaves every probe colour within one level of what it was, as a profile of sRGB does.
    var isIdentity: Bool {
        guard let probes = layout.probes else { return false }
        var converted = [UInt8](repeating: 0, count: probes.rgba.count)
        var target = converted.mutableSpan
        apply(probes.pixels.span, into: &target)
        return zip(probes.rgba, converted).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }
}

extension ColorCalibration {
    fileprivate var hasColorsOfSRGB: Bool { self == ColorCalibration(transfer: transfer) }

    /// - Parameter gamma: 0 for the curve of sRGB.
    fileprivate func shimmed(gamma: Double) -> color_calibration {
        color_calibration(
            chromaticities: ((white.x, white.y), (red.x, red.y), (green.x, green.y), (blue.x, blue.y)), gamma: gamma)
    }
}

extension PixelLayout {
    fileprivate var shimLayout: color_layout {
        switch self {
        case .rgba8: color_layout_rgba
        case .gray8: color_layout_gray
        case .grayAlpha8: color_layout_gray_alpha
        case .cmyk8: color_layout_cmyk
        }
    }

    /// Opaque pixels in this layout and the same in RGBA, if their numbers were sRGB; nil for inks.
    fileprivate var probes: (pixels: [UInt8], rgba: [UInt8])? {
        switch self {
        case .gray8: (SampleColors.levels, SampleColors.grays)
        case .grayAlpha8: (SampleColors.levels.reduce(into: []) { $0 += [$1, 255] }, SampleColors.grays)
        case .rgba8: (SampleColors.grid, SampleColors.grid)
        case .cmyk8: nil
        }
    }
}

/// Colours that tell one colour space from another.
private enum SampleColors {
    /// Closer together in the dark, where tone curves differ.
    static let levels: [UInt8] = [0, 8, 24, 51, 102, 128, 153, 204, 255]

    static var grays: [UInt8] { levels.reduce(into: []) { $0 += [$1, $1, $1, 255] } }

    /// Every combination of the levels.
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
