import ImageCore

/// An XMP packet (ISO 16684-1) in UTF-8.
enum XMPPacket {
    /// The namespaces whose properties say what else a file has, with the beginnings of their names: gain maps, other
    /// images, depth maps, films, and the second part of a long packet.
    private static let otherParts: [String: [String]] = [
        "http://ns.adobe.com/hdr-gain-map/1.0/": [""], "http://ns.apple.com/HDRGainMap/1.0/": [""],
        "http://ns.google.com/photos/1.0/container/": [""], "http://ns.google.com/photos/1.0/container/item/": [""],
        "http://ns.google.com/photos/1.0/depthmap/": [""], "http://ns.google.com/photos/1.0/image/": [""],
        "http://ns.google.com/photos/1.0/camera/": ["MicroVideo", "MotionPhoto"],
        "http://ns.adobe.com/xmp/note/": ["HasExtendedXMP"],
    ]

    /// Returns the packet for a file that has only the image. Nil if the packet is damaged.
    static func withoutOtherParts(_ packet: Data) -> Data? {
        var result = Data()
        var rest = packet
        /// The beginnings of the names of what is left out, by their prefixes, such as `hdrgm`.
        var leftOut: [Substring: Set<String>] = [:]
        /// The number of open elements that are left out.
        var depth = 0
        func isKept(_ name: String) -> Bool {
            guard let colon = name.firstIndex(of: ":"), let beginnings = leftOut[name[..<colon]] else { return true }
            return !beginnings.contains { name[colon...].dropFirst().hasPrefix($0) }
        }
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            guard let tag = XMLTag(rest[start...]) else { return nil }
            if depth == 0 { result += rest[..<start] }
            rest = rest[tag.end...]
            for attribute in tag.attributes where attribute.name.hasPrefix("xmlns:") {
                guard let beginnings = otherParts[attribute.value] else { continue }
                leftOut[attribute.name.dropFirst(6), default: []].formUnion(beginnings)
            }
            if depth > 0 || tag.kind != .end && !isKept(tag.name) {
                depth += tag.kind == .start ? 1 : tag.kind == .end ? -1 : 0
            } else {
                result += tag.data { isKept($0.name) && otherParts[$0.value] != [""] }
            }
        }
        return depth == 0 ? result + rest : nil
    }

    /// Whether a packet says more than what else a file has. A damaged one does.
    static func hasProperties(_ packet: Data) -> Bool {
        guard var rest = withoutOtherParts(packet) else { return true }
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            guard let tag = XMLTag(rest[start...]) else { return true }
            rest = rest[tag.end...]
            guard tag.kind != .end, let name = tag.name.split(separator: ":").last else { continue }
            guard ["xmpmeta", "RDF", "Description"].contains(name) else { return true }
            let isAbout = { (name: String) in name.hasPrefix("xmlns") || name.hasSuffix("about") }
            if name == "Description", !tag.attributes.map(\.name).allSatisfy(isAbout) { return true }
        }
        return false
    }
}
