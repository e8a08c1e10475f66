#if JXL
    import ISOBoxes
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The boxes of a file (ISO/IEC 18181-2).
    ///
    /// Only the codestream is passed to libjxl: boxes with metadata and JPEG reconstruction data don't affect the pixels.
    enum JXLContainer {
        static let codestreamSignature: [UInt8] = [0xFF, 0x0A]
        static let signature: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10]

        /// Returns whether these first bytes of a file are enough to find its signature.
        static func hasSignature(_ bytes: Data) -> Bool {
            bytes.count >= signature.count || bytes.starts(with: codestreamSignature)
        }

        /// Returns the available parts of the codestream. Throws `.malformed` if the file has no signature.
        static func parts(of file: Data) throws(DecodingFailure) -> [Data] {
            if file.starts(with: codestreamSignature) { return [file] }
            guard file.starts(with: signature) else { throw .malformed(.jxl, "the signature is missing") }
            var reader = BoxReader(file, format: .jxl)
            var parts: [Data] = []
            for box in try reader.fileBoxes() {
                let bytes = reader.bytes(in: box.content)
                if box.name == "jxlc" { return [bytes] }
                guard box.name == "jxlp", let first = bytes.first else { continue }
                // A part starts with its number, whose highest bit marks the last part.
                parts.append(bytes.dropFirst(4))
                if first & 0x80 != 0 { break }
            }
            return parts
        }

        /// Returns the codestream of a file, without copying it unless it is divided.
        static func codestream(of file: Data) throws(DecodingFailure) -> Data {
            let parts = try parts(of: file)
            guard let first = parts.first else { throw .truncated(.jxl) }
            return parts.count == 1 ? first : Data(parts.joined())
        }
    }
#endif
