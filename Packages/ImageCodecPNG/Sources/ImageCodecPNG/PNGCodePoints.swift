import ImageCore

/// Coding-independent code points of color spaces (ITU-T H.273) in a cICP chunk (PNG 3rd edition, 11.3.2.6).
struct PNGCodePoints {
    /// `nil` for sRGB.
    let calibration: ColorCalibration?

    /// Returns nil for unsupported code points, such as those of high dynamic range, and for limited ranges.
    init?(_ data: [UInt8]) {
        guard data[2] == 0, data[3] == 1, let transfer = Self.transfers[data[1]],
            let found = ColorCalibration(primaries: Int(data[0]), transfer: transfer)
        else { return nil }
        calibration = found == ColorCalibration(transfer: .srgb) ? nil : found
    }

    /// H.273, table 3. For video (1, 6, 11, 14, 15) the table has the curve of cameras. The curve of displays is a
    /// power of 2.4 (ITU-R BT.1886), as in Chromium.
    private static let transfers: [UInt8: ColorCalibration.Transfer] = [
        1: .gamma(2.4), 6: .gamma(2.4), 11: .gamma(2.4), 14: .gamma(2.4), 15: .gamma(2.4),
        4: .gamma(2.2), 5: .gamma(2.8), 8: .gamma(1), 13: .srgb,
        // SMPTE ST 240
        7: .parametric(
            exponent: 1 / 0.45, scale: 1 / 1.1115, offset: 0.1115 / 1.1115, slope: 1 / 4, threshold: 4 * 0.0228),
        // SMPTE ST 428-1: the scale to the power 2.6 is 52.37 / 48.
        17: .parametric(exponent: 2.6, scale: 1.0340805277, offset: 0, slope: 0, threshold: 0),
    ]
}
