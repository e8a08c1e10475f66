import Foundation

/// Formats of images that the tool can't read.
enum ForeignFormat {
    /// The names of formats by the extensions of their files.
    private static let names = [
        "tif": "TIFF", "tiff": "TIFF", "bmp": "BMP", "dib": "BMP", "svg": "SVG", "svgz": "SVG", "ico": "ICO",
        "psd": "Photoshop", "psb": "Photoshop", "xcf": "GIMP", "tga": "TGA", "jp2": "JPEG 2000", "j2k": "JPEG 2000",
        "exr": "OpenEXR", "qoi": "QOI", "dds": "DDS", "pnm": "PNM", "pbm": "PNM", "pgm": "PNM", "ppm": "PNM",
        "dng": "camera raw", "cr2": "camera raw", "cr3": "camera raw", "nef": "camera raw", "arw": "camera raw",
        "raf": "camera raw", "orf": "camera raw", "rw2": "camera raw",
    ]

    /// The names of formats and the first bytes of their files.
    private static let signatures: KeyValuePairs<String, [UInt8]> = [
        "TIFF": [0x49, 0x49, 42, 0], "TIFF": [0x4D, 0x4D, 0, 42], "TIFF": [0x49, 0x49, 43, 0],
        "TIFF": [0x4D, 0x4D, 0, 43], "ICO": [0, 0, 1, 0], "Photoshop": Array("8BPS".utf8), "SVG": Array("<svg".utf8),
        "JPEG 2000": [0, 0, 0, 12] + Array("jP  ".utf8), "QOI": Array("qoif".utf8), "DDS": Array("DDS ".utf8),
    ]

    /// Returns the name of the format of a file or an address, by the extension and the first bytes of a file. Nil for
    /// other formats.
    static func name(of path: String) -> String? {
        if let name = names[URL(fileURLWithPath: path).pathExtension.lowercased()] { return name }
        guard !InputFiles.isStream(path), let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: 1_000)).flatMap(name)
    }

    /// Returns the name of the format of a file with these first bytes.
    static func name(of start: Data) -> String? {
        if let (name, _) = signatures.first(where: { start.starts(with: $0.value) }) { return name }
        // Four bytes of the header are zero.
        if start.starts(with: "BM".utf8), start.littleEndian(at: 6, 4) == 0 { return "BMP" }
        let isSVG = start.starts(with: "<?xml".utf8) && start.range(of: Data("<svg".utf8)) != nil
        return isSVG ? "SVG" : nil
    }
}
