import ImageCore

/// A tag of XML. A comment, a text in `CDATA` or an instruction is one without attributes.
struct XMLTag {
    enum Kind { case start, end, empty }

    struct Attribute {
        var name: String
        var value: String
        /// The attribute with the white space before it.
        var data: Data
    }

    private(set) var kind = Kind.empty
    private(set) var name = ""
    private(set) var attributes: [Attribute] = []
    /// The index after the tag.
    private(set) var end: Data.Index
    private let head: Data
    private let tail: Data

    /// Reads the tag with which the data starts. Returns nil if it is damaged.
    init?(_ data: Data) {
        let pairs = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")]
        if let (_, last) = pairs.first(where: { data.starts(with: $0.0.utf8) }) {
            guard let range = data.firstRange(of: Data(last.utf8)) else { return nil }
            head = data[..<range.upperBound]
            tail = Data()
            end = range.upperBound
            return
        }
        let isEnd = data.dropFirst().first == UInt8(ascii: "/")
        head = data.prefix(isEnd ? 2 : 1) + data.dropFirst(isEnd ? 2 : 1).prefix { !" \t\r\n/>".utf8.contains($0) }
        name = String(decoding: head.dropFirst(isEnd ? 2 : 1), as: UTF8.self)
        end = data.startIndex + head.count
        while let attribute = Attribute(data[end...]) {
            attributes.append(attribute)
            end = attribute.data.endIndex
        }
        guard let last = data[end...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
        tail = data[end...last]
        end = last + 1
        kind = isEnd ? .end : tail.contains(UInt8(ascii: "/")) ? .empty : .start
    }

    /// Returns the tag with some of its attributes.
    func data(_ isKept: (Attribute) -> Bool) -> Data {
        attributes.filter(isKept).reduce(into: head) { $0 += $1.data } + tail
    }
}

extension XMLTag.Attribute {
    /// Reads the attribute with which the data starts, after white space. Nil if there is none.
    fileprivate init?(_ bytes: Data) {
        func isSpace(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
        let text = bytes.drop(while: isSpace).prefix { !isSpace($0) && !"=>".utf8.contains($0) }
        let rest = bytes[text.endIndex...].drop(while: isSpace)
        let quoted = rest.dropFirst().drop(while: isSpace)
        guard rest.first == UInt8(ascii: "="), let quote = quoted.first, "\"'".utf8.contains(quote),
            let end = quoted.dropFirst().firstIndex(of: quote)
        else { return nil }
        name = String(decoding: text, as: UTF8.self)
        value = String(decoding: quoted[(quoted.startIndex + 1)..<end], as: UTF8.self)
        data = bytes[...end]
    }
}
