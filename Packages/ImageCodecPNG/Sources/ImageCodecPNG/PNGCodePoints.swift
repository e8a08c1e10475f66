import ImageCore

/// Coding-independent code points of color spaces (ITU-T H.273) in a cICP chunk (PNG 3rd edition, 11.3.2.6).
struct PNGCodePoints {
    /// `nil` for sRGB.
    let calibration: ColorCalibration?

    /// Returns nil for unsupported code points, such as those of high dynamic range, and for limited ranges.
    init?(_ data: [UInt8]) {
        guard data[2] == 0, data[3] == 1, var found = Self.primaries[data[0]], let transfer = Self.transfers[data[1]]
        else { return nil }
        found.transfer = transfer
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

    /// H.273, table 2, with the curve of sRGB.
    private static let primaries: [UInt8: ColorCalibration] = [
        1: ColorCalibration(transfer: .srgb),
        4: calibration((0.67, 0.33), (0.21, 0.71), (0.14, 0.08), white: (0.310, 0.316)),
        5: calibration((0.64, 0.33), (0.29, 0.60), (0.15, 0.06)),
        6: calibration((0.630, 0.340), (0.310, 0.595), (0.155, 0.070)),
        7: calibration((0.630, 0.340), (0.310, 0.595), (0.155, 0.070)),
        8: calibration((0.681, 0.319), (0.243, 0.692), (0.145, 0.049), white: (0.310, 0.316)),
        9: calibration((0.708, 0.292), (0.170, 0.797), (0.131, 0.046)),
        11: calibration((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: (0.314, 0.351)),
        12: calibration((0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
        22: calibration((0.630, 0.340), (0.295, 0.605), (0.155, 0.077)),
    ]

    private static func calibration(
        _ red: (Double, Double), _ green: (Double, Double), _ blue: (Double, Double),
        white: (Double, Double) = (0.3127, 0.3290)
    ) -> ColorCalibration {
        ColorCalibration(
            transfer: .srgb, white: .init(x: white.0, y: white.1), red: .init(x: red.0, y: red.1),
            green: .init(x: green.0, y: green.1), blue: .init(x: blue.0, y: blue.1))
    }
}
