#if JXL
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Finds the codestream in the boxes of a file (ISO/IEC 18181-2), while its bytes arrive.
    ///
    /// Only the codestream is passed to libjxl: boxes with metadata and JPEG reconstruction data don't affect the pixels.
    struct JXLContainer {
        static let codestreamSignature: [UInt8] = [0xFF, 0x0A]
        static let signature: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10]

        private enum State {
            case signature
            case boxHeader
            case content(Content)
            case ended
        }

        /// The rest of the content of a box.
        private struct Content {
            /// The number of bytes, or nil up to the end of the file.
            var left: Int?
            var isCodestream = false
            /// Whether it ends the codestream.
            var isLast = false
        }

        private var state = State.signature
        /// The start of a box header.
        private var header: [UInt8] = []

        /// Returns the codestream of a file, without copying it unless it is divided.
        static func codestream(of data: Data) throws(DecodingFailure) -> Data {
            var container = JXLContainer()
            let parts = try container.parts(in: data)
            guard let first = parts.first else { throw .truncated(.jxl) }
            if parts.count == 1 { return data.dropFirst(first.lowerBound).prefix(first.count) }
            return parts.reduce(into: Data()) { $0.append(data.dropFirst($1.lowerBound).prefix($1.count)) }
        }

        /// Returns the ranges of the codestream in the next bytes of the file. The first bytes must have a signature.
        mutating func parts(in bytes: Data) throws(DecodingFailure) -> [Range<Int>] {
            var parts: [Range<Int>] = []
            var offset = 0
            while offset < bytes.count {
                switch state {
                case .signature: offset = try readSignature(in: bytes)
                case .boxHeader:
                    header.append(bytes[bytes.startIndex + offset])
                    offset += 1
                    try readBoxHeader()
                case .content(let content):
                    let count = min(content.left ?? .max, bytes.count - offset)
                    if content.isCodestream, count > 0 { parts.append(offset..<offset + count) }
                    offset += count
                    state = Self.state(after: count, of: content)
                case .ended: return parts
                }
            }
            return parts
        }

        private static func state(after count: Int, of content: Content) -> State {
            var content = content
            content.left? -= count
            if content.left != 0 { return .content(content) }
            return content.isLast ? .ended : .boxHeader
        }

        /// Returns whether these first bytes of a file are enough to find its signature.
        static func hasSignature(_ bytes: Data) -> Bool {
            bytes.count >= signature.count || bytes.starts(with: codestreamSignature)
        }

        /// Returns the number of bytes of the signature that are not part of the codestream.
        private mutating func readSignature(in bytes: Data) throws(DecodingFailure) -> Int {
            if bytes.starts(with: Self.codestreamSignature) {
                state = .content(Content(isCodestream: true, isLast: true))
                return 0
            }
            guard bytes.starts(with: Self.signature) else { throw .malformed(.jxl, "the signature is missing") }
            state = .boxHeader
            return Self.signature.count
        }

        /// Reads a box header (ISO/IEC 14496-12, 4.2) when it is complete. A part of a divided codestream starts with its
        /// number, whose highest bit marks the last part.
        private mutating func readBoxHeader() throws(DecodingFailure) {
            guard header.count >= 8 else { return }
            let shortSize = integer(in: 0..<4)
            let length = shortSize == 1 ? 16 : 8
            let name = String(decoding: header[4..<8], as: UTF8.self)
            let prefix = name == "jxlp" ? 4 : 0
            guard header.count == length + prefix else { return }
            let size = shortSize == 1 ? integer(in: 8..<16) : shortSize
            let left = shortSize == 0 ? nil : size - length - prefix
            guard left ?? 0 >= 0 else { throw .malformed(.jxl, "a box has an invalid size") }
            let isPart = name == "jxlp"
            let isLast = name == "jxlc" || isPart && header[length] & 0x80 != 0
            state = .content(Content(left: left, isCodestream: isPart || isLast, isLast: isLast))
            header = []
        }

        /// Returns a big-endian number of the header. Returns `Int.max` if it exceeds 62 bits.
        private func integer(in range: Range<Int>) -> Int {
            let value = header[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return value >> 62 == 0 ? Int(value) : .max
        }
    }
#endif
