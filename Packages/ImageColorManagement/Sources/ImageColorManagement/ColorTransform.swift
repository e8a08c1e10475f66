import CImageColorManagement
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    /// Converts pixels.
    ///
    /// - Parameters:
    ///   - pixels: Complete pixels in `layout`.
    ///   - target: The output, with at least four bytes per pixel.
    func apply(_ pixels: Span<UInt8>, into target: inout MutableSpan<UInt8>) {
        let count = pixels.count / layout.bytesPerPixel
        precondition(target.count >= 4 * count, "the target is too short")
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe color_transform_apply(handle, source.baseAddress, target.baseAddress, count)
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
