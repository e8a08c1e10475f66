#if HEIF
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
        private let pictures: [Int: HEVCPicture]
        private let lengthSize: Int

        /// The types of the parameter sets of video, sequence and picture (ITU-T H.265, table 7-1).
        private static let parameterTypes = 32...34
        /// The types of the slices of pictures that are decoded without others.
        private static let sliceTypes = 16...21

        init(at range: Range<Int>, of reader: ISOReader) throws(DecodingFailure) {
            let units = try Self.units(at: range, of: reader)
            lengthSize = (reader.integer(at: range.lowerBound + 21, length: 1) ?? 0) & 3 + 1
            let sequences = units.filter { $0.type == 33 }
            guard let first = sequences.first, sequences.count == 1 else {
                throw .malformed(.heic, "an image has \(sequences.count) sequence parameter sets")
            }
            sequence = try HEVCSequence(first.bytes)
            var pictures: [Int: HEVCPicture] = [:]
            for unit in units where unit.type == 34 {
                let picture = try HEVCPicture(unit.bytes)
                guard pictures.updateValue(picture, forKey: picture.id) == nil else {
                    throw .malformed(.heic, "an image has two picture parameter sets with the same number")
                }
            }
            self.pictures = pictures
            var sets = Data()
            for type in Self.parameterTypes {
                for unit in units where unit.type == type { unit.append(to: &sets) }
            }
            parameterSets = sets
        }

        /// Returns the parameter sets of the base layer.
        private static func units(at range: Range<Int>, of reader: ISOReader) throws(DecodingFailure) -> [HEVCUnit] {
            var fields = ISOFields(reader, in: range)
            for _ in 0..<22 { _ = try fields.integer(1) }
            var units: [HEVCUnit] = []
            for _ in 0..<(try fields.integer(1)) {
                _ = try fields.integer(1)
                for _ in 0..<(try fields.integer(2)) {
                    let length = try fields.integer(2)
                    let bytes = try fields.bytes(length)
                    guard let unit = HEVCUnit(bytes), unit.isInBaseLayer, parameterTypes.contains(unit.type) else {
                        continue
                    }
                    units.append(unit)
                    guard units.count <= 100 else { throw .malformed(.heic, "an image has too many parameter sets") }
                }
            }
            return units
        }

        /// Returns the slices of a picture, each after its length in four bytes. Other NAL units are removed.
        ///
        /// Throws `.malformed` unless the data has one picture of intra slices only, which is all that an image item may have
        /// (ISO/IEC 23008-12, B.2). libde265 would decode each further picture, at the cost of a whole image.
        func slices(in data: Data) throws(DecodingFailure) -> Data {
            var slices = Data(capacity: data.count)
            var offset = data.startIndex
            var isFirst = true
            while data.endIndex - offset >= lengthSize {
                let length = data[offset..<offset + lengthSize].reduce(0) { $0 << 8 | Int($1) }
                offset += lengthSize
                guard length <= data.endIndex - offset else { throw .malformed(.heic, "a NAL unit exceeds its item") }
                let unit = HEVCUnit(data[offset..<offset + length])
                offset += length
                guard let unit, unit.isInBaseLayer, unit.type < 32 else { continue }
                guard Self.sliceTypes.contains(unit.type) else {
                    throw .unsupported(.heic, "an image that depends on other images")
                }
                try check(unit, isFirst: isFirst)
                isFirst = false
                unit.append(to: &slices)
            }
            if isFirst { throw .malformed(.heic, "an image has no slices") }
            return slices
        }

        /// Checks the start of slice_segment_header, ITU-T H.265, 7.3.6.1.
        private func check(_ unit: HEVCUnit, isFirst: Bool) throws(DecodingFailure) {
            var reader = HEVCBitReader(unit.bytes.prefix(32))
            guard try reader.flag() == isFirst else { throw .malformed(.heic, "an image has several pictures") }
            try reader.skip(1)
            guard let picture = pictures[try reader.code(upTo: 63)] else {
                throw .malformed(.heic, "a slice refers to a missing parameter set")
            }
            if !isFirst {
                if picture.hasDependentSlices, try reader.flag() { return }
                try reader.skip(sequence.addressBits)
            }
            try reader.skip(picture.extraBits)
            guard try reader.code() == 2 else { throw .unsupported(.heic, "an image that depends on other images") }
        }
    }

    /// A NAL unit (ITU-T H.265, 7.3.1).
    struct HEVCUnit {
        let bytes: Data

        /// Returns nil if the header is incomplete.
        init?(_ bytes: Data) {
            guard bytes.count >= 2 else { return nil }
            self.bytes = bytes
        }

        private var header: (UInt8, UInt8) { (bytes[bytes.startIndex], bytes[bytes.startIndex + 1]) }

        var type: Int { Int(header.0 >> 1 & 63) }

        var isInBaseLayer: Bool { header.0 & 1 == 0 && header.1 >> 3 == 0 }

        /// Appends the length of the unit in four big-endian bytes, and the unit.
        func append(to data: inout Data) {
            for shift in stride(from: 24, through: 0, by: -8) {
                data.append(UInt8(truncatingIfNeeded: bytes.count >> shift))
            }
            data.append(bytes)
        }
    }

    extension HEVCSequence {
        /// The number of bits of a slice's address.
        fileprivate var addressBits: Int {
            let side = 1 << blockBits
            let columns = (codedSize.width + side - 1) / side, rows = (codedSize.height + side - 1) / side
            return Int.bitWidth - max(0, columns * rows - 1).leadingZeroBitCount
        }
    }

#endif
