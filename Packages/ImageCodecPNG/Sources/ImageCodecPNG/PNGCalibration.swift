import ImageCore

/// The color description of the chunks gAMA, cHRM, sRGB and cICP (PNG 3rd edition, 4.3 and 11.3.2).
///
/// The first available one applies, in the order cICP, iCCP, sRGB, gAMA with or without cHRM. As in browsers, cHRM
/// alone and invalid values are ignored.
struct PNGCalibration {
    private var isSRGB = false
    private var gamma: Double?
    private var chromaticities: [ColorCalibration.Chromaticity]?
    private var codePoints: PNGCodePoints?

    /// Reads a chunk. Repeated and unknown chunks are ignored.
    mutating func read(_ chunk: PNGChunk) {
        let data = chunk.data
        switch chunk.type {
        case .srgb where data.count == 1: isSRGB = true
        case .gamma where data.count == 4 && gamma == nil: gamma = Self.gamma(data.bigEndian32(at: 0))
        case .chromaticities where data.count == 32 && chromaticities == nil:
            chromaticities = (0..<4).map { .init(hundredThousandths: data, at: 8 * $0) }
        case .codePoints where data.count == 4 && codePoints == nil: codePoints = PNGCodePoints(data)
        default: break
        }
    }

    /// Whether an embedded profile is ignored.
    var overridesProfile: Bool { codePoints != nil }

    /// Returns the calibration of an image whose profile is missing or ignored. Returns nil for sRGB.
    func calibration(isGray: Bool) -> ColorCalibration? {
        if let codePoints { return codePoints.calibration }
        if isSRGB { return nil }
        guard let gamma else { return nil }
        let isPlain = isGray || chromaticities.map(\.areSRGB) ?? true
        if isPlain {
            // As in other decoders, gamma within 5% of 1/2.2, such as 45455, means sRGB (PNG 3rd edition, 11.3.2.2,
            // 11.3.2.5).
            return abs(gamma / 2.2 - 1) < 0.05 ? nil : ColorCalibration(transfer: .gamma(gamma))
        }
        guard let found = chromaticities, found.areValid else { return nil }
        return ColorCalibration(
            transfer: .gamma(gamma), white: found[0], red: found[1], green: found[2], blue: found[3])
    }

    /// Returns the exponent from stored values to linear light. Returns nil if it is not plausible.
    private static func gamma(_ stored: Int) -> Double? {
        let exponent = stored == 0 ? 0 : 100_000 / Double(stored)
        return (0.05...20).contains(exponent) ? exponent : nil
    }
}

extension ColorCalibration.Chromaticity {
    fileprivate init(hundredThousandths data: [UInt8], at offset: Int) {
        self.init(
            x: Double(data.bigEndian32(at: offset)) / 100_000, y: Double(data.bigEndian32(at: offset + 4)) / 100_000)
    }
}

/// The chromaticities of white, red, green and blue.
extension [ColorCalibration.Chromaticity] {
    /// Whether they are within 0.01 of sRGB's, as libpng compares them.
    fileprivate var areSRGB: Bool {
        let srgb = ColorCalibration(transfer: .srgb)
        return zip(self, [srgb.white, srgb.red, srgb.green, srgb.blue]).allSatisfy {
            abs($0.x - $1.x) <= 0.01 && abs($0.y - $1.y) <= 0.01
        }
    }

    /// Whether the colors exist, the primaries span an area, and white is within it.
    fileprivate var areValid: Bool {
        guard allSatisfy({ (0...1).contains($0.x) && (0.001...1).contains($0.y) && $0.x + $0.y <= 1 }) else {
            return false
        }
        let areas = [
            Self.area(self[0], self[1], self[2]), Self.area(self[0], self[2], self[3]),
            Self.area(self[0], self[3], self[1]),
        ]
        return areas.allSatisfy { $0 > 0.0005 } || areas.allSatisfy { $0 < -0.0005 }
    }

    /// Returns twice the signed area of a triangle.
    private static func area(
        _ a: ColorCalibration.Chromaticity, _ b: ColorCalibration.Chromaticity, _ c: ColorCalibration.Chromaticity
    ) -> Double { (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) }
}

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
