public import Foundation
import ImageCodecJPEG
public import ImageCore

/// A JPEG file with a gain map, both of one scene: a map that was treated like its image looks like it.
public struct GainMapJPEG {
    /// The names of the metadata of the map.
    public var kinds: Set<String>
    /// The size of the stored image. The map has a quarter of its sides.
    public var size: PixelSize
    /// Whether the map has a gain for each channel.
    public var isRGB = false
    /// An Exif block for the image.
    public var exif: Data?
    /// A profile for the image.
    public var profile: Data?

    /// - Parameter kinds: Some of `ultraHDR`, `iso21496` and `apple`.
    public init(_ kinds: Set<String>, size: PixelSize = PixelSize(width: 320, height: 240)) {
        self.kinds = kinds
        self.size = size
    }

    /// The metadata of ISO 21496-1, C.2: versions, flags, headrooms 0 and 2.5, then the least and largest gain, gamma and
    /// offsets.
    public static let block: Data = {
        let numbers: [UInt32] = [0, 1, 5, 2, 0, 1, 5, 2, 1, 1, 1, 64, 1, 64]
        return identifier + Data([0, 0, 0, 0, 0x40])
            + Data(numbers.flatMap { number in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } })
    }()

    private static let identifier = Data("urn:iso:std:iso:ts:21496:-1\0".utf8)
    private static let hdrgm = "http://ns.adobe.com/hdr-gain-map/1.0/"

    /// The packet of the map.
    public var mapXMP: String {
        let ultraHDR = """
            xmlns:hdrgm="\(Self.hdrgm)" hdrgm:Version="1.0" hdrgm:GainMapMin="0" hdrgm:GainMapMax="2.5" hdrgm:Gamma="1" \
            hdrgm:OffsetSDR="0.015625" hdrgm:OffsetHDR="0.015625" hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="2.5" \
            hdrgm:BaseRenditionIsHDR="False"
            """
        let apple = """
            xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" \
            apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap" \
            xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" HDRGainMap:HDRGainMapVersion="131072" \
            HDRGainMap:HDRGainMapHeadroom="5.6"
            """
        return Self.packet([kinds.contains("ultraHDR") ? ultraHDR : "", kinds.contains("apple") ? apple : ""])
    }

    public var data: Data {
        get throws {
            let map = try Self.file(image(scale: 4, isGray: !isRGB), parts: mapParts, list: nil)
            var parts: [(UInt8, Data)] = []
            if let exif { parts.append((0xE1, Data("Exif\0\0".utf8) + exif)) }
            if let profile { parts.append((0xE2, Data("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile)) }
            if kinds.contains("ultraHDR") { parts.append(Self.xmp(declaration(of: map.count))) }
            if kinds.contains("iso21496") { parts.append((0xE2, Self.identifier + Data(count: 4))) }
            return try Self.file(image(scale: 1, isGray: false), parts: parts, list: map) + map
        }
    }

    private var mapParts: [(UInt8, Data)] {
        var parts: [(UInt8, Data)] = []
        if kinds != ["iso21496"] { parts.append(Self.xmp(mapXMP)) }
        if kinds.contains("iso21496") { parts.append((0xE2, Self.block)) }
        return parts
    }

    private func image(scale: Int, isGray: Bool) throws -> Data {
        let bitmap = Self.scene(PixelSize(width: size.width / scale, height: size.height / scale))
        return try JPEGEncoder(isGray: isGray).encode(bitmap, options: EncodingOptions(quality: 0.98))
    }

    /// Returns the scene, which has no symmetry.
    public static func scene(_ size: PixelSize) -> Bitmap {
        var pixels: [UInt8] = []
        for y in 0..<size.height {
            for x in 0..<size.width {
                let right = (Double(x) + 0.5) / Double(size.width)
                let down = (Double(y) + 0.5) / Double(size.height)
                let level = UInt8(30 + 120 * right * right + 90 * down)
                pixels += [level, level, level, 255]
            }
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: true)
    }

    private func declaration(of byteCount: Int) -> String {
        Self.packet([
            """
            xmlns:hdrgm="\(Self.hdrgm)" hdrgm:Version="1.0" xmlns:Container="http://ns.google.com/photos/1.0/container/" \
            xmlns:Item="http://ns.google.com/photos/1.0/container/item/"><Container:Directory><rdf:Seq><rdf:li \
            rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li><rdf:li \
            rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" \
            Item:Length="\(byteCount)"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description><rdf:Description
            """
        ])
    }

    private static func packet(_ properties: [String]) -> String {
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description rdf:about="" \(properties.joined(separator: " "))/></rdf:RDF></x:xmpmeta>
        """
    }

    private static func xmp(_ packet: String) -> (UInt8, Data) {
        (0xE1, Data("http://ns.adobe.com/xap/1.0/\0\(packet)".utf8))
    }

    /// Puts segments after the JFIF header of a file, the last one a little-endian list with the image that follows.
    private static func file(_ image: Data, parts: [(UInt8, Data)], list other: Data?) -> Data {
        var file = image.prefix(20)
        for (marker, body) in parts {
            file += [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
        }
        guard let other else { return file + image.dropFirst(20) }
        let directory: [UInt8] = [
            2, 0, 1, 0xB0, 4, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0xB0, 7, 0, 32, 0, 0, 0, 38, 0, 0, 0, 0, 0, 0, 0,
        ]
        let start = file.count + 8
        let count = start + 8 + directory.count + 32 + image.count - 20
        file += [0xFF, 0xE2, 0, UInt8(2 + 4 + 8 + directory.count + 32)] + Data("MPF\0".utf8)
        file += [0x49, 0x49, 42, 0, 8, 0, 0, 0] + directory
        for number in [0x03_0000, count, 0, 0, 0, other.count, count - start, 0] {
            file += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        return file + image.dropFirst(20)
    }
}
