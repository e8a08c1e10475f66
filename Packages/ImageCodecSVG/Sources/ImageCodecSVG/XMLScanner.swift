#if SVG
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
#endif
