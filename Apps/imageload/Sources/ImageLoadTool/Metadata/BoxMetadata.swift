import Foundation
import ISOBoxes
import ImageCore

/// The metadata of files that consist of boxes: AVIF, HEIF and JPEG XL.
enum BoxMetadata {
    static func read(_ file: Data, _ format: ImageFormat) -> ImageMetadata {
        var reader = BoxReader(file, format: format)
        guard let boxes = try? reader.fileBoxes() else { return ImageMetadata() }
        if format == .jxl {
            func content(_ name: String) -> Data? {
                boxes.first { $0.name == name }.map { Data(reader.bytes(in: $0.content)) }
            }
            return ImageMetadata(exif: content("Exif").flatMap(tiff), xmp: content("xml "))
        }
        guard let meta = boxes.first(where: { $0.name == "meta" }), let items = try? BoxItems(in: meta, &reader) else {
            return ImageMetadata()
        }
        func content(_ type: String) -> Data? {
            let item = items.order.compactMap { items[$0] }.first { $0.type == type }
            guard let item, let extent = item.extents.first, item.extents.count == 1, item.construction == 0 else {
                return nil
            }
            return Data(reader.bytes(in: extent))
        }
        // An item of type `mime` can be something else than XMP, but is not in images of cameras.
        return ImageMetadata(exif: content("Exif").flatMap(tiff), xmp: content("mime").flatMap(packet))
    }

    /// Adds boxes after the code stream (ISO/IEC 18181-2, 9.5, 9.6), which is put into a container if it has none.
    static func adding(_ metadata: ImageMetadata, toJXL file: Data) -> Data {
        var result = file
        if file.starts(with: [0xFF, 0x0A]) {
            result = Data([0, 0, 0, 12]) + Data("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]
            result += box("ftyp", Data("jxl ".utf8) + [0, 0, 0, 0] + Data("jxl ".utf8))
            result += box("jxlc", file)
        }
        if let exif = metadata.exif { result += box("Exif", Data([0, 0, 0, 0]) + exif) }
        if let xmp = metadata.xmp { result += box("xml ", xmp) }
        return result
    }

    private static func box(_ name: String, _ content: Data) -> Data {
        var box = Data()
        box.append(bigEndian: UInt32(content.count + 8))
        box.append(contentsOf: name.utf8)
        return box + content
    }

    /// Skips the offset of the TIFF header and the bytes before it (ISO/IEC 23008-12, A.2.1).
    private static func tiff(_ block: Data) -> Data? {
        guard let offset = block.bigEndian(at: 0, 4), offset <= block.count - 4 else { return nil }
        return ExifBlock.withoutPrefix(Data(block.dropFirst(4 + offset)))
    }

    private static func packet(_ text: Data) -> Data? {
        String(decoding: text, as: UTF8.self).contains("xmpmeta") ? text : nil
    }
}
