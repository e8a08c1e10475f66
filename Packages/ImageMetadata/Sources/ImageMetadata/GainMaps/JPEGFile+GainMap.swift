import ImageCore

extension JPEGFile.Segment {
    /// Whether this is about a gain map of ISO 21496-1.
    var isISOGainMap: Bool { marker == 0xE2 && body.starts(with: EmbeddedGainMap.identifier) }

    fileprivate var isImageList: Bool { marker == 0xE2 && body.starts(with: JPEGFile.imageListPrefix) }
}

extension JPEGFile {
    fileprivate static let imageListPrefix = Data("MPF".utf8) + [0]

    /// The images after the first one, by the list of a file (CIPA DC-007, 5.2.3). At most 99.
    ///
    /// - Parameter file: The file of these segments.
    func otherImages(in file: Data) -> [Data] {
        guard let list = segments.first(where: \.isImageList)?.body.dropFirst(4), let reader = TIFFReader(list),
            let directory = reader.firstDirectory,
            let images = reader.entries(of: directory).first(where: { $0.tag == 0xB002 }),
            let table = reader.integer(at: images.field, 4)
        else { return [] }
        return (0..<min(images.count / 16, 100)).dropFirst().compactMap { index in
            guard let count = reader.integer(at: table + 16 * index + 4, 4),
                let offset = reader.integer(at: table + 16 * index + 8, 4)
            else { return nil }
            return file.part(at: list.startIndex - file.startIndex + offset, count)
        }
    }

    /// How this image says that it is a gain map.
    var gainMapKinds: Set<EmbeddedGainMap.Kind> {
        let xmp = metadata.xmp ?? Data()
        func names(_ text: String) -> Bool { xmp.firstRange(of: Data(text.utf8)) != nil }
        let kinds: [(EmbeddedGainMap.Kind, Bool)] = [
            (.ultraHDR, names("http://ns.adobe.com/hdr-gain-map/1.0/")), (.apple, names(":aux:hdrgainmap")),
            (.iso21496, segments.contains(where: \.isISOGainMap)),
        ]
        return Set(kinds.filter(\.1).map(\.0))
    }

    /// The number of components of the image, by its frame header (ITU-T T.81, B.2.2).
    var componentCount: Int? {
        segments.first { 0xC0...0xCF ~= $0.marker && ![0xC4, 0xC8, 0xCC].contains($0.marker) }?.body.bigEndian(at: 5, 1)
    }

    /// What says how this gain map is applied: XMP, the block of ISO 21496-1 and the profile.
    var gainMapDescription: [Segment] {
        segments.filter { $0.isISOGainMap || Self.isProfile($0) || Self.isXMP($0) }
    }

    /// Returns the image alone, with what says how it is applied as a gain map.
    func gainMap(describedBy description: [Segment]) -> JPEGFile {
        var image = onlyImage
        image.segments.removeAll(where: Self.isProfile)
        for segment in description { image.append(segment) }
        return image
    }

    /// Adds a segment after the others of applications.
    mutating func append(_ segment: Segment) {
        segments.insert(segment, at: segments.firstIndex { !(0xE0...0xEF).contains($0.marker) } ?? segments.endIndex)
    }

    /// Says in XMP that a gain map follows (Ultra HDR Image Format 1.1, "XMP metadata").
    mutating func declareGainMap(byteCount: Int) throws(ImageDecodingError) {
        var metadata = metadata
        guard let xmp = XMPPacket.declaringGainMap(byteCount: byteCount, in: metadata.xmp),
            xmp.count <= Self.largestXMP
        else { throw .unsupported(.jpeg, "a gain map without space in XMP") }
        metadata.xmp = xmp
        self = replacing(metadata)
    }

    /// Returns the file with a list of two images (CIPA DC-007, 5.2): itself, and one that follows it.
    func listing(imageOf byteCount: Int) -> JPEGFile {
        var file = self
        file.segments.removeAll(where: \.isImageList)
        file.append(Segment(marker: 0xE2, body: Self.imageList(firstCount: 0, secondCount: 0, offset: 0)))
        guard let index = file.segments.firstIndex(where: \.isImageList) else { return file }
        // Offsets are from the byte order of the list.
        let start = file.segments[..<index].reduce(2 + 4 + Self.imageListPrefix.count) { $0 + 4 + $1.body.count }
        let count = file.data.count
        file.segments[index].body = Self.imageList(
            firstCount: count, secondCount: byteCount, offset: count - start)
        return file
    }

    private static func imageList(firstCount: Int, secondCount: Int, offset: Int) -> Data {
        var list = imageListPrefix + Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 3])
        // The version, the number of images, and their table after the directory.
        list += [0xB0, 0, 0, 7, 0, 0, 0, 4] + Data("0100".utf8)
        list += [0xB0, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2]
        list += [0xB0, 2, 0, 7, 0, 0, 0, 32, 0, 0, 0, 50, 0, 0, 0, 0]
        // The first image is the primary one (0x03 00 00).
        for (kind, count, offset) in [(0x03_0000, firstCount, 0), (0, secondCount, offset)] {
            for number in [kind, count, offset, 0] { list.append(bigEndian: UInt32(clamping: number)) }
        }
        return list
    }
}

extension XMPPacket {
    /// Returns a packet that says that a gain map follows. Nil if the packet is damaged.
    ///
    /// - Parameter packet: A packet that says nothing about it. Nil for an empty one.
    fileprivate static func declaringGainMap(byteCount: Int, in packet: Data?) -> Data? {
        let item = #"<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" Item:Semantic="#
        let description = """
            xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" xmlns:Container="http://ns.google.com/photos/1.0/container/" \
            xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0"><Container:Directory>\
            <rdf:Seq>\(item)"Primary"/></rdf:li>\(item)"GainMap" Item:Length="\(byteCount)"/></rdf:li></rdf:Seq>\
            </Container:Directory>
            """
        return adding(description, to: packet)
    }

    /// Returns a packet with one more description. Nil if the packet is damaged.
    ///
    /// - Parameters:
    ///   - description: The attributes and the content of the description, as in `a:b="c"><a:d/>`.
    ///   - packet: Nil for an empty one.
    static func adding(_ description: String, to packet: Data?) -> Data? {
        let syntax = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        var packet =
            packet
            ?? Data(
                #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="\#(syntax)"></rdf:RDF></x:xmpmeta>"#.utf8)
        guard let name = packet.lastRange(of: Data(":RDF>".utf8)),
            let end = packet[..<name.lowerBound].lastIndex(of: UInt8(ascii: "<"))
        else { return nil }
        let element = #"<rdf:Description rdf:about="" xmlns:rdf="\#(syntax)" \#(description)</rdf:Description>"#
        packet.insert(contentsOf: element.utf8, at: end)
        return packet
    }
}
