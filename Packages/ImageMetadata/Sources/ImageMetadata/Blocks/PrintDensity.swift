import ImageCore

/// The number of pixels per inch at which an image is printed.
enum PrintDensity {
    /// Whether somebody chose a density. 72 and 96 are those of screens, which programs write by default.
    ///
    /// - Parameter step: The difference of two densities that a file can store.
    static func isChosen(_ perInch: Double, step: Double = 1) -> Bool {
        perInch > 1 && ![72, 96].contains { abs(perInch - $0) <= step / 2 }
    }

    /// Whether a TIFF file has one (TIFF 6.0, section 8: XResolution and ResolutionUnit).
    static func isStored(inTIFF file: Data) -> Bool {
        guard let reader = TIFFReader(file), let directory = reader.firstDirectory else { return false }
        var (perUnit, unit) = (0.0, 2)
        for entry in reader.entries(of: directory) {
            if entry.tag == 282, entry.type == 5, let offset = reader.integer(at: entry.field, 4) {
                perUnit = Double(reader.integer(at: offset, 4) ?? 0) / Double(reader.integer(at: offset + 4, 4) ?? 1)
            }
            if entry.tag == 296 { unit = reader.integer(of: entry) ?? unit }
        }
        return unit == 2 && isChosen(perUnit) || unit == 3 && isChosen(perUnit * 2.54)
    }
}

extension JPEGFile {
    /// Whether the JFIF header has a density for print (ITU-T T.871, 10.1).
    var hasPrintDensity: Bool {
        guard let header = segments.first(where: { $0.marker == 0xE0 && $0.body.starts(with: "JFIF".utf8) })?.body,
            let unit = header.bigEndian(at: 7, 1), let density = header.bigEndian(at: 8, 2)
        else { return false }
        return unit == 1 && PrintDensity.isChosen(Double(density))
            || unit == 2 && PrintDensity.isChosen(Double(density) * 2.54, step: 2.54)
    }
}

extension PNGFile {
    /// Whether pHYs has pixels per meter for print (W3C PNG, section 11.3.4.3).
    var hasPrintDensity: Bool {
        guard let body = chunks.first(where: { $0.type == "pHYs" })?.body, body.bigEndian(at: 8, 1) == 1,
            let density = body.bigEndian(at: 0, 4)
        else { return false }
        return PrintDensity.isChosen(Double(density) * 0.0254)
    }
}
