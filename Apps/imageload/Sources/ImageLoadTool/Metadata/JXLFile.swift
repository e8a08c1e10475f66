import Foundation

/// The metadata of JPEG XL files, which is in boxes (ISO/IEC 18181-2, sections 9.5 and 9.6).
enum JXLFile {
    /// Returns the Exif block and the XMP packet. Those that are compressed with Brotli count as missing.
    static func metadata(of file: Data) -> ImageMetadata {
        let boxes = FileBox.boxes(in: file)
        func content(_ name: String) -> Data? { boxes.first { $0.name == name }.map { Data($0.content) } }
        return ImageMetadata(exif: content("Exif").flatMap(ExifBlock.withoutOffset), xmp: content("xml "))
    }

    /// Adds boxes after the code stream, which is put into a container if it has none.
    static func adding(_ metadata: ImageMetadata, to file: Data) -> Data {
        var result = file
        if file.starts(with: [0xFF, 0x0A]) {
            result = FileBox("JXL ", Data([0x0D, 0x0A, 0x87, 0x0A])).data
            result += FileBox("ftyp", Data("jxl ".utf8) + [0, 0, 0, 0] + Data("jxl ".utf8)).data
            result += FileBox("jxlc", file).data
        }
        if let exif = metadata.exif { result += FileBox("Exif", Data(count: 4) + exif).data }
        if let xmp = metadata.xmp { result += FileBox("xml ", xmp).data }
        return result
    }
}
