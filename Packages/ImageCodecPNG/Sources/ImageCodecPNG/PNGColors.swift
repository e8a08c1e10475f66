import ImageCore

/// The color description of the chunks gAMA, cHRM, sRGB, cICP, cLLI and mDCV (PNG 3rd edition, 4.3 and 11.3.2).
///
/// The first available one applies, in the order cICP, iCCP, sRGB, gAMA with or without cHRM. As in browsers, cHRM
/// alone and invalid values are ignored.
struct PNGColors {
    private var isSRGB = false
    private var gamma: Double?
    private var primaries: RGBPrimaries?
    private var coded: SourceColor?
    /// The luminance of the brightest pixel, and that of the display on which the image was made, in cd/m².
    private var lightLevel, mastering: Double?

    /// Reads a chunk. Repeated and unknown chunks are ignored.
    mutating func read(_ chunk: PNGChunk) {
        let data = chunk.data
        switch chunk.type {
        case .srgb where data.count == 1: isSRGB = true
        case .gamma where data.count == 4 && gamma == nil: gamma = Self.gamma(data.uint32(at: 0))
        case .chromaticities where data.count == 32 && primaries == nil: primaries = RGBPrimaries(chunk: data)
        case .codePoints where data.count == 4 && coded == nil: coded = Self.color(codePoints: data)
        case .lightLevel where data.count == 8 && lightLevel == nil:
            lightLevel = Double(data.uint32(at: 0)) / 10_000
        case .mastering where data.count == 24 && mastering == nil:
            mastering = Double(data.uint32(at: 16)) / 10_000
        default: break
        }
    }

    /// Returns the color of an image with this profile.
    func color(profile: Data?, isGray: Bool) -> SourceColor {
        if var color = coded ?? profile.map(SourceColor.init(profile:)) {
            color.setPeak(lightLevel, mastering)
            return color
        }
        guard !isSRGB, let gamma else { return .sRGB }
        // libpng compares with a tolerance of 0.01, too.
        let isPlain = isGray || primaries?.isClose(to: .sRGB, within: 0.01) ?? true
        if isPlain {
            // As in other decoders, gamma within 5% of 1/2.2, such as 45455, means sRGB (PNG 3rd edition, 11.3.2.2,
            // 11.3.2.5).
            return abs(gamma / 2.2 - 1) < 0.05 ? .sRGB : SourceColor(transfer: .gamma(gamma))
        }
        guard let primaries, primaries.areValid else { return .sRGB }
        return SourceColor(primaries: primaries, transfer: .gamma(gamma))
    }

    /// Returns the exponent from stored values to linear light. Returns nil if it is not plausible.
    private static func gamma(_ stored: Int) -> Double? {
        let exponent = stored == 0 ? 0 : 100_000 / Double(stored)
        return (0.05...20).contains(exponent) ? exponent : nil
    }

    /// Returns the color of a cICP chunk (PNG 3rd edition, 11.3.2.6). Returns nil for unspecified and unknown code points,
    /// and for limited ranges.
    private static func color(codePoints data: [UInt8]) -> SourceColor? {
        guard data[2] == 0, data[3] == 1 else { return nil }
        return SourceColor(primaries: Int(data[0]), transfer: Int(data[1]), video: .gamma(2.4))
    }
}

extension RGBPrimaries {
    /// Creates the white point and the primaries of a cHRM chunk, in hundred-thousandths.
    fileprivate init(chunk data: [UInt8]) {
        let points = stride(from: 0, to: 32, by: 8).map { offset in
            Chromaticity(
                x: Double(data.uint32(at: offset)) / 100_000, y: Double(data.uint32(at: offset + 4)) / 100_000
            )
        }
        self.init(white: points[0], red: points[1], green: points[2], blue: points[3])
    }

    /// Whether the colors exist, the primaries span an area, and white is within it.
    fileprivate var areValid: Bool {
        let points = [white, red, green, blue]
        guard points.allSatisfy({ (0...1).contains($0.x) && (0.001...1).contains($0.y) && $0.x + $0.y <= 1 }) else {
            return false
        }
        let areas = [
            Self.area(white, red, green), Self.area(white, green, blue), Self.area(white, blue, red),
        ]
        return areas.allSatisfy { $0 > 0.0005 } || areas.allSatisfy { $0 < -0.0005 }
    }

    /// Returns twice the signed area of a triangle.
    private static func area(_ a: Chromaticity, _ b: Chromaticity, _ c: Chromaticity) -> Double {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }
}
