#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The relation between the stored values of a channel and light.
@nonexhaustive
public enum TransferFunction: Hashable, Sendable {
    /// Light is `(scale · value + offset)` to the power `exponent` from `threshold` on, and `slope · value` below: the
    /// parametric curve of type 3 (ICC.1, 10.18).
    case parametric(exponent: Double, scale: Double, offset: Double, slope: Double, threshold: Double)
    /// Perceptual quantization of high dynamic range (SMPTE ST 2084; ITU-R BT.2100, table 4).
    case pq
    /// Hybrid log-gamma of high dynamic range (ITU-R BT.2100, table 5).
    case hlg

    /// The curve of sRGB (IEC 61966-2-1).
    public static let sRGB = TransferFunction.parametric(
        exponent: 2.4, scale: 1 / 1.055, offset: 0.055 / 1.055, slope: 1 / 12.92, threshold: 0.04045)

    /// Returns a power of the value. The exponent 1 is linear.
    public static func gamma(_ exponent: Double) -> TransferFunction {
        .parametric(exponent: exponent, scale: 1, offset: 0, slope: 0, threshold: 0)
    }

    /// Creates the function of a code point of ITU-T H.273, table 3. Nil for unspecified, unknown and logarithmic ones.
    ///
    /// - Parameter video: The curve for BT.601, BT.709 and BT.2020, for which the table has that of cameras.
    package init?(codePoint: Int, video: TransferFunction) {
        switch codePoint {
        case 1, 6, 11, 14, 15: self = video
        case 4: self = .gamma(2.2)
        case 5: self = .gamma(2.8)
        // SMPTE ST 240
        case 7:
            self = .parametric(
                exponent: 1 / 0.45, scale: 1 / 1.1115, offset: 0.1115 / 1.1115, slope: 1 / 4, threshold: 4 * 0.0228)
        case 8: self = .gamma(1)
        case 13: self = .sRGB
        case 16: self = .pq
        // SMPTE ST 428-1: the scale to the power 2.6 is 52.37 / 48.
        case 17: self = .parametric(exponent: 2.6, scale: 1.0340805277, offset: 0, slope: 0, threshold: 0)
        case 18: self = .hlg
        default: return nil
        }
    }
}

extension TransferFunction {
    /// Whether the exponent is positive and the other parameters are finite.
    var isValid: Bool {
        guard case .parametric(let exponent, let scale, let offset, let slope, let threshold) = self else {
            return true
        }
        return exponent > 0 && [exponent, scale, offset, slope, threshold].allSatisfy(\.isFinite)
    }

    /// Returns the light of a value from 0 to 1.
    ///
    /// White is 1, except for PQ, where 1 is 10,000 cd/m², and HLG, where it is the brightest light of the scene.
    package func light(of value: Double) -> Double {
        switch self {
        case .parametric(let exponent, let scale, let offset, let slope, let threshold):
            return value < threshold ? slope * value : pow(max(0, scale * value + offset), exponent)
        case .pq:
            let root = pow(max(0, value), 1 / PQ.m2)
            return pow(max(0, root - PQ.c1) / (PQ.c2 - PQ.c3 * root), 1 / PQ.m1)
        case .hlg:
            return value <= 0.5 ? value * value / 3 : (exp((value - HLG.c) / HLG.a) + HLG.b) / 12
        }
    }

    /// Returns the value for light: the inverse of `light(of:)`, for parametric curves and PQ.
    package func value(of light: Double) -> Double {
        guard case .parametric(let exponent, let scale, let offset, let slope, let threshold) = self else {
            let power = pow(max(0, light), PQ.m1)
            return pow((PQ.c1 + PQ.c2 * power) / (1 + PQ.c3 * power), PQ.m2)
        }
        return light < slope * threshold ? light / slope : (pow(light, 1 / exponent) - offset) / scale
    }

    private enum PQ {
        static let m1 = 2610.0 / 16_384
        static let m2 = 2523.0 / 4096 * 128
        static let c1 = 3424.0 / 4096
        static let c2 = 2413.0 / 4096 * 32
        static let c3 = 2392.0 / 4096 * 32
    }

    private enum HLG {
        static let a = 0.17883277
        static let b = 1 - 4 * a
        static let c = 0.55991073
    }
}
