import Foundation
import ImageCore

/// The root element of an XML document, which is found without a parser: what precedes it is skipped.
struct SVGRoot {
    /// The attributes without entities, by their names.
    let attributes: [String: String]

    enum Search {
        case found(SVGRoot)
        /// The data ends before the root element does.
        case incomplete
        /// It is no XML, or its root element is another one.
        case other
    }

    /// The bytes in which the root element is looked for.
    static let searchedBytes = 256 << 10

    static func search(_ data: Data) -> Search {
        var scanner = XMLScanner(utf8(data.prefix(searchedBytes)))
        scanner.skipSpace()
        while let byte = scanner.peek {
            guard byte == UInt8(ascii: "<") else { return .other }
            if scanner.starts(with: "<?") {
                guard scanner.skip(past: "?>") else { return .incomplete }
            } else if scanner.starts(with: "<!--") {
                guard scanner.skip(past: "-->") else { return .incomplete }
            } else if scanner.starts(with: "<!") {
                guard let name = scanner.documentType() else { return .incomplete }
                guard isSVG(name) else { return .other }
            } else {
                return root(&scanner)
            }
            scanner.skipSpace()
        }
        return .incomplete
    }

    private static func root(_ scanner: inout XMLScanner) -> Search {
        scanner.advance()
        let name = scanner.name()
        guard let next = scanner.peek else { return "svg".hasPrefix(name) || name.contains(":") ? .incomplete : .other }
        guard isSVG(name), XMLScanner.isSpace(next) || next == UInt8(ascii: ">") || next == UInt8(ascii: "/") else {
            return .other
        }
        return scanner.attributes().map { .found(SVGRoot(attributes: $0)) } ?? .incomplete
    }

    private static func isSVG(_ name: String) -> Bool { name == "svg" || name.hasSuffix(":svg") }

    /// Returns the bytes in UTF-8 and without a mark of the byte order.
    private static func utf8(_ data: Data) -> [UInt8] {
        let bytes = Array(data)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        let isLittleEndian = bytes.starts(with: [0xFF, 0xFE])
        guard isLittleEndian || bytes.starts(with: [0xFE, 0xFF]) else { return bytes }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { offset in
            UInt16(bytes[offset + (isLittleEndian ? 1 : 0)]) << 8 | UInt16(bytes[offset + (isLittleEndian ? 0 : 1)])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

extension SVGRoot {
    /// The size in pixels at 96 dots per inch, at least one each: `width` and `height`, or `viewBox` where they are
    /// missing or relative, or that of CSS for images without a size (CSS 2.2, section 10.3.2).
    var size: (width: Double, height: Double) {
        let box = (attributes["viewBox"] ?? "").split { " ,\t\r\n".contains($0) }.compactMap { Double($0) }
        let hasBox = box.count == 4 && box[2] > 0 && box[3] > 0 && box[2].isFinite && box[3].isFinite
        let (width, height) = (Self.pixels(attributes["width"]), Self.pixels(attributes["height"]))
        let ratio = hasBox ? box[2] / box[3] : nil
        switch (width, height) {
        case (let width?, let height?): return (width, height)
        case (let width?, nil): return (width, ratio.map { width / $0 } ?? 150)
        case (nil, let height?): return (ratio.map { height * $0 } ?? 300, height)
        case (nil, nil): return hasBox ? (box[2], box[3]) : (300, 150)
        }
    }

    /// The units of CSS in pixels; those of fonts for a font of 16 pixels.
    private static let units = [
        "": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "pt": 96.0 / 72, "pc": 16, "em": 16, "ex": 8,
    ]

    private static func pixels(_ length: String?) -> Double? {
        guard let length = length?.trimmingCharacters(in: .whitespacesAndNewlines).lowercased() else { return nil }
        for (unit, factor) in units where length.hasSuffix(unit) {
            if let value = Double(length.dropLast(unit.count)), value > 0, value.isFinite { return value * factor }
        }
        return nil
    }
}

/// Reads the start of an XML document.
struct XMLScanner {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    mutating func advance() { offset += 1 }

    mutating func skipSpace() { while let byte = peek, Self.isSpace(byte) { offset += 1 } }

    func starts(with text: String) -> Bool { bytes[offset...].starts(with: text.utf8) }

    /// Skips to what follows a text. Returns false if there is none.
    mutating func skip(past text: String) -> Bool {
        while offset < bytes.count {
            if bytes[offset] == text.utf8.first, starts(with: text) {
                offset += text.utf8.count
                return true
            }
            offset += 1
        }
        return false
    }

    mutating func name() -> String {
        let start = offset
        while let byte = peek, !Self.isSpace(byte), !"/>=<[\"'".utf8.contains(byte) { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Skips a document type with its declarations, and returns its name; nil if it has no end.
    mutating func documentType() -> String? {
        guard skip(past: "DOCTYPE") else { return nil }
        skipSpace()
        let name = name()
        var depth = 0
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                offset += 1
                guard skip(past: String(UnicodeScalar(byte))) else { return nil }
            case UInt8(ascii: "<") where starts(with: "<!--"):
                guard skip(past: "-->") else { return nil }
            default:
                offset += 1
                if byte == UInt8(ascii: "<") || byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: "]") { depth -= 1 }
                if byte == UInt8(ascii: ">") {
                    if depth == 0 { return name }
                    depth -= 1
                }
            }
        }
        return nil
    }

    /// Reads the attributes up to the end of a tag; nil if it has no end.
    mutating func attributes() -> [String: String]? {
        var attributes: [String: String] = [:]
        while true {
            skipSpace()
            guard let byte = peek else { return nil }
            if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") { return attributes }
            let name = name()
            skipSpace()
            guard peek == UInt8(ascii: "=") else {
                if name.isEmpty { offset += 1 }
                continue
            }
            offset += 1
            skipSpace()
            guard let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
            offset += 1
            let start = offset
            guard skip(past: String(UnicodeScalar(quote))) else { return nil }
            attributes[name] = String(decoding: bytes[start..<offset - 1], as: UTF8.self)
        }
    }
}
