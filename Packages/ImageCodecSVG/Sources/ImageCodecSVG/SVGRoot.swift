#if SVG
    import ImageCore

    /// The root element of an XML document, which is found without a parser: what precedes it is skipped.
    struct SVGRoot {
        /// The name, with the prefix of its namespace.
        let name: String
        /// The attributes without entities, by their names.
        let attributes: [String: String]
        /// Whether the element has no content: its tag is its end.
        let isEmpty: Bool

        enum Search {
            case found(SVGRoot)
            /// The data ends before the root element does.
            case incomplete
            /// It is no XML, or its root element is another one.
            case other
        }

        /// The bytes in which the root element is looked for.
        static let searchedBytes = 256 << 10
        /// The bytes in which its end is looked for: comments can follow it.
        private static let endBytes = 4_096

        static func search(_ data: Data) -> Search {
            var scanner = XMLScanner(utf8(data.prefix(searchedBytes)))
            scanner.skipSpace()
            while let byte = scanner.peek {
                guard byte == UInt8(ascii: "<") else { return .other }
                if scanner.starts(with: "<?") {
                    guard scanner.skip(past: "?>") else { return .incomplete }
                } else if scanner.starts(with: "<!--") {
                    guard scanner.skip(past: "-->") else { return .incomplete }
                } else if scanner.starts(with: "<!doctype") {
                    return .other  // HTML. XML has it in capitals.
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
            guard let next = scanner.peek else {
                return "svg".hasPrefix(name) || name.contains(":") ? .incomplete : .other
            }
            guard isSVG(name), XMLScanner.isSpace(next) || next == UInt8(ascii: ">") || next == UInt8(ascii: "/") else {
                return .other
            }
            guard let attributes = scanner.attributes() else { return .incomplete }
            return .found(SVGRoot(name: name, attributes: attributes, isEmpty: scanner.peek == UInt8(ascii: "/")))
        }

        /// Whether the document has the tag that ends the element. True in UTF-16, where it isn't looked for.
        func isClosed(in document: Data) -> Bool {
            let isUTF16 = document.starts(with: [0xFF, 0xFE]) || document.starts(with: [0xFE, 0xFF])
            return isEmpty || isUTF16 || document.suffix(Self.endBytes).firstRange(of: Array("</\(name)".utf8)) != nil
        }

        private static func isSVG(_ name: String) -> Bool { name == "svg" || name.hasSuffix(":svg") }

        /// Returns the bytes in UTF-8 and without a mark of the byte order.
        private static func utf8(_ data: Data) -> [UInt8] {
            let bytes = Array(data)
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
            let isLittleEndian = bytes.starts(with: [0xFF, 0xFE])
            guard isLittleEndian || bytes.starts(with: [0xFE, 0xFF]) else { return bytes }
            let units = stride(from: 2, to: bytes.count - 1, by: 2).compactMap { offset in
                isLittleEndian
                    ? bytes.littleEndian(at: offset, 2, as: UInt16.self)
                    : bytes.bigEndian(at: offset, 2, as: UInt16.self)
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        }
    }

    extension SVGRoot {
        /// The size in pixels at 96 dots per inch, at least one each: `width` and `height`, or `viewBox` where they are
        /// missing or relative, or that of CSS for images without a size (CSS 2.2, section 10.3.2).
        var size: (width: Double, height: Double) {
            let box = (attributes["viewBox"] ?? "").split { $0.isWhitespace || $0 == "," }.compactMap { Double($0) }
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
            guard let length = length?.lowercased().drop(while: \.isWhitespace) else { return nil }
            let end = length.lastIndex { !$0.isWhitespace }.map(length.index(after:)) ?? length.endIndex
            for (unit, factor) in units where length[..<end].hasSuffix(unit) {
                if let value = Double(length[..<end].dropLast(unit.count)), value > 0, value.isFinite {
                    return value * factor
                }
            }
            return nil
        }
    }
#endif
