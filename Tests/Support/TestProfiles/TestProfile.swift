import CTestProfiles

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// ICC profiles that Little CMS creates at run time. Equal ones have equal bytes.
public enum TestProfile {
    /// CIE xy of the white point D65.
    public static let d65 = (x: 0.3127, y: 0.3290)
    /// CIE xy of the white point D50.
    public static let d50 = (x: 0.3457, y: 0.3585)
    /// CIE xy of red, green and blue in sRGB.
    public static let srgbPrimaries = [0.64, 0.33, 0.30, 0.60, 0.15, 0.06]
    /// CIE xy of red, green and blue in Display P3.
    public static let p3Primaries = [0.680, 0.320, 0.265, 0.690, 0.150, 0.060]

    /// Returns a matrix profile.
    ///
    /// - Parameters:
    ///   - white: CIE xy of the white point.
    ///   - primaries: CIE xy of red, green and blue.
    ///   - gamma: The exponent of all channels.
    public static func rgb(white: (x: Double, y: Double), primaries: [Double], gamma: Double) -> Data {
        unsafe profile { bytes, capacity in
            unsafe test_profile_rgb([white.x, white.y], primaries, gamma, bytes, capacity)
        }
    }

    /// An sRGB profile.
    public static var srgb: Data { unsafe profile { unsafe test_profile_srgb($0, $1) } }
    /// Returns a gray profile.
    public static func gray(gamma: Double) -> Data { unsafe profile { unsafe test_profile_gray(gamma, $0, $1) } }
    /// A neutral CMYK profile (see `test_profile_cmyk`).
    public static var cmyk: Data { unsafe profile { unsafe test_profile_cmyk($0, $1) } }

    private static func profile(_ make: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> Data {
        var bytes = [UInt8](repeating: 0, count: 100_000)
        let count = unsafe bytes.withUnsafeMutableBufferPointer { unsafe make($0.baseAddress, $0.count) }
        // The time of creation (ICC.1:2022, 7.2.8).
        bytes.replaceSubrange(24..<36, with: repeatElement(0, count: 12))
        return Data(bytes.prefix(count))
    }
}
