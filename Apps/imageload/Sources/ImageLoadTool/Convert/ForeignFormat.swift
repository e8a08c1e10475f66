import Foundation
import ImageCore
import ImageLoaderKit

/// Formats of images that the tool can't read.
enum ForeignFormat {
    /// The names of formats by the extensions of their files.
    private static let names = [
        "svgz": "SVG", "psd": "Photoshop", "psb": "Photoshop", "xcf": "GIMP", "tga": "TGA", "jp2": "JPEG 2000",
        "j2k": "JPEG 2000",
        "exr": "OpenEXR", "qoi": "QOI", "dds": "DDS", "pnm": "PNM", "pbm": "PNM", "pgm": "PNM", "ppm": "PNM",
        "dng": "camera raw", "cr2": "camera raw", "cr3": "camera raw", "nef": "camera raw", "arw": "camera raw",
        "raf": "camera raw", "orf": "camera raw", "rw2": "camera raw",
    ]

    /// The names of formats and the first bytes of their files.
    private static let signatures: KeyValuePairs<String, [UInt8]> = [
        "Photoshop": Array("8BPS".utf8), "JPEG 2000": [0, 0, 0, 12] + Array("jP  ".utf8), "QOI": Array("qoif".utf8),
        "DDS": Array("DDS ".utf8), "OpenEXR": [0x76, 0x2F, 0x31, 1], "GIMP": Array("gimp xcf".utf8),
    ]

    /// The names of formats that this tool reads if it is built with their traits.
    private static let optional: [ImageFormat: String] = [.tiff: "TIFF", .svg: "SVG"]

    /// Returns the name of a format that this build doesn't read. Nil for others.
    static func name(of format: ImageFormat) -> String? {
        [any ImageDecoder].all.contains { $0.format == format } ? nil : optional[format]
    }

    static func failure(_ format: String, subject: String) -> ToolFailure {
        let advice = "\(format) is not supported by this tool. Save it as PNG with another program."
        return ToolFailure(status: .notAImage, line: "\(subject): \(advice)")
    }

    /// Throws if a file is in one of the formats, also if it has no name.
    static func check(_ data: Data, subject: String) throws(ToolFailure) {
        if let format = name(of: data.prefix(byteCount)) { throw failure(format, subject: subject) }
    }

    private static let byteCount = 1_000

    /// Returns the name of the format of a file or an address, by the extension and the first bytes of a file. Nil for
    /// other formats.
    static func name(of path: String) -> String? {
        let fileExtension = URL(fileURLWithPath: path).pathExtension.lowercased()
        if let name = names[fileExtension] ?? ImageFormat(fileExtension: fileExtension).flatMap(name) { return name }
        guard !InputFiles.isStream(path), let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        return (try? file.read(upToCount: byteCount)).flatMap(name)
    }

    /// Returns the name of the format of a file with these first bytes.
    static func name(of start: Data) -> String? {
        if let (name, _) = signatures.first(where: { start.starts(with: $0.value) }) { return name }
        return FileSignature.format(of: start).flatMap(name)
    }
}
