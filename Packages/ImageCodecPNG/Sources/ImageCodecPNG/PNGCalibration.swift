import ImageCore

/// What chunks without a profile say about colours: gAMA, cHRM, sRGB and cICP (PNG 3rd edition, 4.3 and 11.3.2).
///
/// The first that is there counts, in the order cICP, iCCP, sRGB, gAMA with or without cHRM. As in browsers, cHRM alone says
/// nothing, and so do values that make no sense.
struct PNGCalibration {
    private var isSRGB = false
    private var gamma: Double?
    private var chromaticities: [ColorCalibration.Chromaticity]?
    private var codePoints: PNGCodePoints?

    /// Takes a chunk of a kind that it knows. Later ones of a kind do not count.
    mutating func take(_ chunk: PNGChunk) {
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

    /// True when a profile that is there too does not count.
    var overridesProfile: Bool { codePoints != nil }

    /// The calibration of an image without a profile that counts; nil when it is as good as sRGB.
    func calibration(isGray: Bool) -> ColorCalibration? {
        if let codePoints { return codePoints.calibration }
        if isSRGB { return nil }
        guard let gamma else { return nil }
        let isPlain = isGray || chromaticities.map(\.areSRGB) ?? true
        if isPlain {
            // Within a twentieth nobody corrects: the usual 45455 means sRGB (PNG 3rd edition, 11.3.2.2 and 11.3.2.5).
            return abs(gamma / 2.2 - 1) < 0.05 ? nil : ColorCalibration(transfer: .gamma(gamma))
        }
        guard let found = chromaticities, found.makeSense else { return nil }
        return ColorCalibration(
            transfer: .gamma(gamma), white: found[0], red: found[1], green: found[2], blue: found[3])
    }

    /// The exponent that turns numbers to light, or nil when it is none for an image.
    private static func gamma(_ stored: Int) -> Double? {
        let exponent = stored == 0 ? 0 : 100_000 / Double(stored)
        return (0.05...20).contains(exponent) ? exponent : nil
    }
}

/// Coding-independent code points (ITU-T H.273) of the colour spaces that images come in.
struct PNGCodePoints {
    /// Nil for sRGB itself.
    let calibration: ColorCalibration?

    /// Nil for code points that are not supported, as those of high dynamic range, and for limited ranges.
    init?(_ data: [UInt8]) {
        guard data[2] == 0, data[3] == 1, let transfer = Self.transfers[data[1]] else { return nil }
        switch data[0] {
        case 1: calibration = transfer == .srgb ? nil : ColorCalibration(transfer: transfer)
        case 9:
            calibration = ColorCalibration(
                transfer: transfer, red: .init(x: 0.708, y: 0.292), green: .init(x: 0.170, y: 0.797),
                blue: .init(x: 0.131, y: 0.046))
        case 12:
            calibration = ColorCalibration(
                transfer: transfer, red: .init(x: 0.680, y: 0.320), green: .init(x: 0.265, y: 0.690),
                blue: .init(x: 0.150, y: 0.060))
        default: return nil
        }
    }

    private static let transfers: [UInt8: ColorCalibration.Transfer] = [
        4: .gamma(2.2), 5: .gamma(2.8), 8: .gamma(1), 13: .srgb,
    ]
}

extension ColorCalibration.Chromaticity {
    fileprivate init(hundredThousandths data: [UInt8], at offset: Int) {
        self.init(
            x: Double(data.bigEndian32(at: offset)) / 100_000, y: Double(data.bigEndian32(at: offset + 4)) / 100_000)
    }
}

/// White, red, green and blue.
extension [ColorCalibration.Chromaticity] {
    /// Within a hundredth of sRGB's, as libpng compares them.
    fileprivate var areSRGB: Bool {
        let srgb = ColorCalibration(transfer: .srgb)
        return zip(self, [srgb.white, srgb.red, srgb.green, srgb.blue]).allSatisfy {
            abs($0.x - $1.x) <= 0.01 && abs($0.y - $1.y) <= 0.01
        }
    }

    /// Colours that exist, primaries that span an area, and white within it.
    fileprivate var makeSense: Bool {
        guard allSatisfy({ (0...1).contains($0.x) && (0.001...1).contains($0.y) && $0.x + $0.y <= 1 }) else {
            return false
        }
        let areas = [
            Self.area(self[0], self[1], self[2]), Self.area(self[0], self[2], self[3]),
            Self.area(self[0], self[3], self[1]),
        ]
        return areas.allSatisfy { $0 > 0.0005 } || areas.allSatisfy { $0 < -0.0005 }
    }

    /// Twice the signed area of a triangle.
    private static func area(
        _ a: ColorCalibration.Chromaticity, _ b: ColorCalibration.Chromaticity, _ c: ColorCalibration.Chromaticity
    ) -> Double { (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) }
}
