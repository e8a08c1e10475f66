/// Reads and writes ICC profiles (ICC.1:2022), as far as that needs no color management.
package enum ICCProfile {
    /// Returns the data of the first tag with a name of four characters, or nil if it is missing or damaged (7.3).
    package static func tag(_ name: String, of profile: Data) -> Data? {
        guard let count = profile.bigEndian(at: 128, 4) else { return nil }
        for index in 0..<min(count, profile.count / 12) {
            guard let entry = profile.part(at: 132 + 12 * index, 12) else { return nil }
            guard entry.starts(with: name.utf8) else { continue }
            guard let offset = entry.bigEndian(at: 4, 4), let length = entry.bigEndian(at: 8, 4) else { return nil }
            return profile.part(at: offset, length)
        }
        return nil
    }

    /// Returns the code points of ITU-T H.273 in the tag `cicp`, or nil if there is none.
    static func codePoints(of profile: Data) -> (primaries: Int, transfer: Int)? {
        guard let content = tag("cicp", of: profile), content.starts(with: "cicp".utf8),
            let primaries = content.bigEndian(at: 8, 1), let transfer = content.bigEndian(at: 9, 1)
        else { return nil }
        return (primaries, transfer)
    }

    /// Returns the primaries by the colorants of a profile, which are adapted to its white (9.2), or nil if it has none, but
    /// tables.
    package static func primaries(of profile: Data) -> RGBPrimaries? {
        let colorants = ["rXYZ", "gXYZ", "bXYZ"].compactMap { tag($0, of: profile).flatMap(chromaticity) }
        guard colorants.count == 3 else { return nil }
        return RGBPrimaries(white: .d50, red: colorants[0], green: colorants[1], blue: colorants[2])
    }

    private static func chromaticity(_ color: Data) -> RGBPrimaries.Chromaticity? {
        let xyz = [8, 12, 16].compactMap { color.bigEndian(at: $0, 4) }.map { Double(Int32(truncatingIfNeeded: $0)) }
        let sum = xyz.reduce(0, +)
        return xyz.count == 3 && sum > 0 ? RGBPrimaries.Chromaticity(x: xyz[0] / sum, y: xyz[1] / sum) : nil
    }

    /// Returns a profile of a display (ICC.1, 8.4.3) for a parametric transfer function.
    static func make(named name: String, primaries: RGBPrimaries, transfer: TransferFunction) -> Data {
        let adaptation = RGBPrimaries.adaptation(from: primaries.white, to: .d50)
        let colorants = (adaptation * primaries.xyz).columns
        let rows = (0..<3).flatMap { row in adaptation.columns.map { $0[row] } }
        let curve = tag("para", [0, 3, 0, 0] + transfer.parameters.flatMap(\.fixed))
        let tags: [(names: [String], content: [UInt8])] = [
            (["desc"], text(name)), (["cprt"], text("CC0")), (["wtpt"], color(RGBPrimaries.Chromaticity.d50.xyz)),
            (["chad"], tag("sf32", rows.flatMap(\.fixed))), (["rXYZ"], color(colorants[0])),
            (["gXYZ"], color(colorants[1])), (["bXYZ"], color(colorants[2])), (["rTRC", "gTRC", "bTRC"], curve),
        ]
        var entries: [UInt8] = []
        var contents: [UInt8] = []
        let start = 132 + 12 * tags.reduce(0) { $0 + $1.names.count }
        for (names, content) in tags {
            for name in names {
                entries += name.utf8 + (start + contents.count).bigEndianBytes + content.count.bigEndianBytes
            }
            contents += content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
        }
        return Data(header(size: start + contents.count) + (entries.count / 12).bigEndianBytes + entries + contents)
    }

    private static func header(size: Int) -> [UInt8] {
        let date: [UInt8] = [0x07, 0xEA, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
        let illuminant = RGBPrimaries.Chromaticity.d50.xyz
        return size.bigEndianBytes + [0, 0, 0, 0, 4, 0x40, 0, 0] + "mntrRGB XYZ ".utf8 + date + "acsp".utf8
            + [UInt8](repeating: 0, count: 28) + illuminant.fixed + [UInt8](repeating: 0, count: 48)
    }

    private static func tag(_ type: String, _ content: [UInt8]) -> [UInt8] { type.utf8 + [0, 0, 0, 0] + content }

    private static func color(_ xyz: SIMD3<Double>) -> [UInt8] { tag("XYZ ", xyz.fixed) }

    /// A text in English, in UTF-16.
    private static func text(_ text: String) -> [UInt8] {
        let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return tag(
            "mluc",
            1.bigEndianBytes + 12.bigEndianBytes + "enUS".utf8 + units.count.bigEndianBytes + 28.bigEndianBytes + units)
    }
}

extension RGBPrimaries.Chromaticity {
    /// The white point of profiles (ICC.1, 7.2.16).
    fileprivate static let d50 = Self(x: 0.9642 / 2.7891, y: 1 / 2.7891)
}

extension TransferFunction {
    fileprivate var parameters: [Double] {
        guard case .parametric(let exponent, let scale, let offset, let slope, let threshold) = self else { return [] }
        return [exponent, scale, offset, slope, threshold]
    }
}

extension SIMD3<Double> {
    fileprivate var fixed: [UInt8] { x.fixed + y.fixed + z.fixed }
}

extension Double {
    /// The number with 16 bits after the point.
    fileprivate var fixed: [UInt8] { Int((self * 65_536).rounded()).bigEndianBytes }
}
