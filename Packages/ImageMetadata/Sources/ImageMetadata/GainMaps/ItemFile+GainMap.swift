import ISOBoxes
import ImageCore

extension ItemFile {
    /// The gain map of the primary image. Nil if there is none that a JPEG file can have.
    var gainMap: EmbeddedGainMap? {
        if let item = items.toneMap { return toneMap(item) }
        return items.appleGainMap(BoxReader(file, format: format)).flatMap(appleGainMap)
    }

    /// Returns the map of an item `tmap`. Its data is a version, which is 0, and what a JPEG file has in its block (ISO/IEC
    /// 23008-12:2022/Amd 1; ISO 21496-1, annex C).
    private func toneMap(_ item: Int) -> EmbeddedGainMap? {
        let images = items.targets(of: item, "dimg")
        guard images.count == 2, 6...JPEGFile.largestISOBlock ~= byteCount(of: item), let data = content(of: item),
            data[0] == 0,
            let file = file(showing: images[1])
        else { return nil }
        let isGray = channelCount(of: images[1]) == 1
        // The flag says that gains are for the primaries of the image.
        guard isGray || data[5] & 0x40 != 0 else { return nil }
        let block = EmbeddedGainMap.identifier + data.dropFirst()
        return EmbeddedGainMap(
            .iso21496, file: file, isGray: isGray, description: JPEGFile.Segment(marker: 0xE2, body: block))
    }

    /// Returns the map of an auxiliary image, whose XMP gets the type that HEIC has in a property.
    private func appleGainMap(_ item: Int) -> EmbeddedGainMap? {
        let type = """
            xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" \
            apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap">
            """
        let packet = items.sources(of: item, "cdsc").first(where: isXMP).flatMap(content)
        guard let xmp = XMPPacket.adding(type, to: packet), xmp.count <= JPEGFile.largestXMP,
            let file = file(showing: item)
        else { return nil }
        return EmbeddedGainMap(
            .apple, file: file, isGray: channelCount(of: item) ?? 1 == 1,
            description: JPEGFile.Segment(marker: 0xE1, body: JPEGFile.xmpPrefix + xmp))
    }

    /// Returns the number of channels of an item, by its property `pixi` (ISO/IEC 23008-12, 6.5.6).
    private func channelCount(of id: Int) -> Int? {
        items.propertyBoxes(of: id).first { $0.name == "pixi" && $0.content.count > 4 }.flatMap { box in
            file.bigEndian(at: box.content.lowerBound + 4, 1)
        }
    }

    /// Returns a file whose primary image is another item, without its profile, primaries and transfer function: decoders
    /// would convert the values of a gain map like colors. Nothing moves.
    private func file(showing id: Int) -> Data? {
        var number = Data()
        number.append(bigEndian: UInt32(clamping: id))
        // A number of 2 bytes, or of 4 in version 1.
        guard let box = children.first(where: { $0.name == "pitm" }), [6, 8].contains(box.content.count),
            id <= UInt16.max || box.content.count == 8
        else { return nil }
        var file = file
        func overwrite(_ offset: Int, _ bytes: Data) {
            file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        overwrite(box.content.lowerBound + 4, number.suffix(box.content.count - 4))
        let colors = ([id] + items.targets(of: id, "dimg")).flatMap(items.propertyBoxes).filter { $0.name == "colr" }
        for color in colors where color.content.count >= 8 {
            let isCoded = file[color.content].starts(with: "nclx".utf8)
            // 2 is unspecified (ITU-T H.273). The type of a profile becomes one that nobody knows.
            overwrite(color.content.lowerBound + (isCoded ? 4 : 0), isCoded ? Data([0, 2, 0, 2]) : Data("none".utf8))
        }
        return file
    }
}
