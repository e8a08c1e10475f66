import ImageCore

extension XMPPacket {
    private static let rightsNames =
        ["rights", "creator", "contributor", "publisher"].map { "dc:" + $0 }
        + ["UsageTerms", "WebStatement", "Owner", "Marked", "Certificate"].map { "xmpRights:" + $0 }
        + ["license", "attributionName", "attributionURL", "morePermissions"].map { "cc:" + $0 }

    /// Returns a packet with the properties about rights and people only. Returns nil if there are none, or if the packet
    /// is larger than 1 MiB.
    static func rights(_ packet: Data) -> Data? {
        guard packet.count <= 1 << 20 else { return nil }
        let elements = rightsNames.compactMap { element($0, in: packet) ?? attribute($0, in: packet) }
        guard !elements.isEmpty else { return nil }
        let xml = """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
            xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
            xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" \
            xmlns:cc="http://creativecommons.org/ns#">\
            \(elements.joined())</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
            """
        return Data(xml.utf8)
    }

    /// Returns the text of a property: of an attribute, an element, or the first item of a list. Nil for packets above 1
    /// MiB and for other elements.
    ///
    /// - Parameter name: With the usual prefix, for example `dc:creator`.
    static func text(of name: String, in packet: Data) -> String? { texts(of: name, in: packet).first }

    /// The same for all items of a list.
    static func texts(of name: String, in packet: Data) -> [String] {
        guard packet.count <= 1 << 20, let xml = element(name, in: packet) ?? attribute(name, in: packet) else {
            return []
        }
        // An element of a list has no elements.
        let texts = xml.split(separator: ">").compactMap { part in
            part.firstIndex(of: "<").map { part[..<$0].trimming { $0.isWhitespace } }
        }
        return texts.filter { !$0.isEmpty }.map { unescaped(String($0)) }
    }

    /// Replaces the references to characters and predefined entities (XML 1.0, 4.1 and 4.6). Others stay as they are
    /// written.
    private static func unescaped(_ text: String) -> String {
        var (result, rest) = (String.UnicodeScalarView(), text.unicodeScalars[...])
        while let start = rest.firstIndex(of: "&") {
            let name = rest[start...].dropFirst().prefix { $0 != "&" && $0 != ";" }
            let isComplete = rest[name.endIndex...].first == ";"
            let scalar = isComplete ? scalar(ofReference: String(name)) : nil
            result += rest[..<start]
            result.append(scalar ?? "&")
            rest = rest[rest.index(after: scalar == nil ? start : name.endIndex)...]
        }
        return String(result + rest)
    }

    /// Returns the character of a reference, such as `lt`, `#34` or `#x22`. Nil if there is none, or if XML doesn't allow it
    /// (XML 1.0, 2.2).
    private static func scalar(ofReference name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return entities[name] }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.first != "+", let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else { return nil }
        switch number {
        case 9, 10, 13, 0x20...0xFFFD, 0x1_0000...: return Unicode.Scalar(number)
        default: return nil
        }
    }

    private static let entities: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "amp": "&",
    ]

    /// Returns an element if it has only lists and text, which need no other namespace.
    private static func element(_ name: String, in packet: Data) -> String? {
        guard let start = packet.firstRange(of: Data("<\(name)>".utf8)),
            let end = packet[start.upperBound...].firstRange(of: Data("</\(name)>".utf8))
        else { return nil }
        let content = String(decoding: packet[start.upperBound..<end.lowerBound], as: UTF8.self)
        let isPlain = content.split(separator: "<", omittingEmptySubsequences: false).dropFirst().allSatisfy { tag in
            tag.hasPrefix("rdf:") || tag.hasPrefix("/rdf:")
        }
        return isPlain ? "<\(name)>\(content)</\(name)>" : nil
    }

    /// Returns an element for a property that is an attribute, or an element with an address.
    private static func attribute(_ name: String, in packet: Data) -> String? {
        if let text = quoted(after: "\(name)=", in: packet) { return "<\(name)>\(text)</\(name)>" }
        guard let address = quoted(after: "<\(name) rdf:resource=", in: packet) else { return nil }
        return "<\(name) rdf:resource=\"\(address.replacing("\"", with: "&quot;"))\"/>"
    }

    /// Returns the value of an attribute as it is written, in quotes of either kind (XML 1.0, 2.3).
    private static func quoted(after name: String, in packet: Data) -> String? {
        for quote in "\"'".utf8 {
            guard let start = packet.firstRange(of: Data(name.utf8) + [quote])?.upperBound,
                let end = packet[start...].firstIndex(of: quote)
            else { continue }
            let value = String(decoding: packet[start..<end], as: UTF8.self)
            return value.contains("<") ? nil : value
        }
        return nil
    }
}

extension Substring {
    /// Returns the text without such characters at both ends.
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> Substring {
        let start = drop(while: isTrimmed)
        return start[..<(start.lastIndex { !isTrimmed($0) }.map(start.index(after:)) ?? start.startIndex)]
    }
}
