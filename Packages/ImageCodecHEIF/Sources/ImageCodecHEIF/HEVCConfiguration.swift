#if HEIF
    import ISOBoxes
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The parameters of an HEVC image: the content of an `hvcC` box (ISO/IEC 14496-15, 8.3.3.1).
    struct HEVCConfiguration {
        let sequence: HEVCSequence
        /// The parameter sets of the base layer, each after its length in four bytes.
        let parameterSets: Data
        private let lengthSize: Int

        /// The types of the parameter sets of video, sequence and picture (ITU-T H.265, table 7-1).
        private static let parameterTypes = 32...34
        /// The types of the slices of pictures that are decoded without others.
        private static let sliceTypes = 16...21

        init(at range: Range<Int>, of reader: BoxReader) throws(DecodingFailure) {
            var fields = reader.fields(in: range)
            _ = try fields.bytes(21)
            lengthSize = try fields.integer(1) & 3 + 1
            var units: [HEVCUnit] = []
            for _ in 0..<(try fields.integer(1)) {
                _ = try fields.integer(1)
                for _ in 0..<(try fields.integer(2)) {
                    let length = try fields.integer(2)
                    let unit = HEVCUnit(try fields.bytes(length))
                    if let unit, Self.parameterTypes.contains(unit.type) { units.append(unit) }
                    guard units.count <= 100 else { throw .malformed(.heic, "an image has too many parameter sets") }
                }
            }
            let sequences = units.filter { $0.type == 33 }
            guard let first = sequences.first, sequences.count == 1 else {
                throw .malformed(.heic, "an image has \(sequences.count) sequence parameter sets")
            }
            sequence = try HEVCSequence(first.bytes)
            var sets = Data()
            for type in Self.parameterTypes {
                for unit in units where unit.type == type { unit.append(to: &sets) }
            }
            parameterSets = sets
        }

        /// Returns the slices of a picture, each after its length in four bytes. Other NAL units are removed.
        ///
        /// Throws `.malformed` unless the data has one picture, which is all that an image item may have (ISO/IEC 23008-12,
        /// B.2). libde265 would decode each further picture, at the cost of a whole image.
        func slices(in data: Data) throws(DecodingFailure) -> Data {
            var slices = Data(capacity: data.count)
            var rest = data
            while rest.count >= lengthSize {
                let length = rest.prefix(lengthSize).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(lengthSize)
                guard length <= rest.count else { throw .malformed(.heic, "a NAL unit exceeds its item") }
                let unit = HEVCUnit(rest.prefix(length))
                rest = rest.dropFirst(length)
                guard let unit, unit.type < 32 else { continue }
                guard Self.sliceTypes.contains(unit.type) else {
                    throw .unsupported(.heic, "an image that depends on other images")
                }
                guard unit.startsPicture == slices.isEmpty else {
                    throw .malformed(.heic, "an image has several pictures")
                }
                unit.append(to: &slices)
            }
            if slices.isEmpty { throw .malformed(.heic, "an image has no slices") }
            return slices
        }
    }

    /// A NAL unit of the base layer (ITU-T H.265, 7.3.1).
    private struct HEVCUnit {
        let bytes: Data
        let type: Int
        /// Whether a slice is the first one of a picture (7.3.6.1).
        let startsPicture: Bool

        /// Returns nil if the header is incomplete, or that of another layer.
        init?(_ bytes: Data) {
            let header = [UInt8](bytes.prefix(3))
            guard header.count == 3, header[0] & 1 == 0, header[1] >> 3 == 0 else { return nil }
            self.bytes = bytes
            type = Int(header[0] >> 1 & 63)
            startsPicture = header[2] & 0x80 != 0
        }

        /// Appends the length of the unit in four big-endian bytes, and the unit.
        func append(to data: inout Data) {
            for shift in stride(from: 24, through: 0, by: -8) {
                data.append(UInt8(truncatingIfNeeded: bytes.count >> shift))
            }
            data.append(bytes)
        }
    }
#endif
