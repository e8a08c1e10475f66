#if HEIF
    import ISOBoxes
    import ImageCore

    /// The parameters of an HEVC image: the content of an `hvcC` box (ISO/IEC 14496-15, 8.3.3.1).
    struct HEVCConfiguration {
        let sequence: HEVCSequence
        /// The parameter sets of the base layer, each after its length in four bytes.
        let parameterSets: Data
        private let lengthSize: Int

        /// The types of the parameter sets of video, sequence and picture (ITU-T H.265, table 7-1).
        private static let parameterTypes = 32...34
        /// The types of the slices of pictures that are decoded without others.
        private static let independentTypes = 16...21
        /// Of these, the types of pictures on whose predecessors no later picture depends.
        private static let startTypes = 16...20
        /// The most NAL units before the first slice of a sample.
        private static let maximumUnits = 100

        init(at range: Range<Int>, of reader: BoxReader) throws(ImageDecodingError) {
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

        /// Returns the slices of a picture, each after its length in four bytes, without other NAL units. Throws `.malformed`
        /// unless there is one picture, as in every image item (ISO/IEC 23008-12, B.2): libde265 would decode each.
        ///
        /// - Parameter isAlone: Whether the picture must be decodable without others.
        func slices(in data: Data, isAlone: Bool = true) throws(ImageDecodingError) -> Data {
            var slices = Data(capacity: data.count)
            var rest = data
            while let length = rest.bigEndian(at: 0, lengthSize) {
                rest = rest.dropFirst(lengthSize)
                guard length <= rest.count else { throw .malformed(.heic, "a NAL unit exceeds its item") }
                let unit = HEVCUnit(rest.prefix(length))
                rest = rest.dropFirst(length)
                guard let unit, unit.type < 32 else { continue }
                guard !isAlone || Self.independentTypes.contains(unit.type) else {
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

        /// Whether a sequence can be decoded from this sample on, by the type of its first slice. False if the file doesn't have it.
        func isStart(_ sample: Range<Int>, of reader: BoxReader) -> Bool {
            guard sample.upperBound <= reader.data.count else { return false }
            var rest = sample
            for _ in 0..<Self.maximumUnits {
                guard rest.count > lengthSize, let length = reader.data.bigEndian(at: rest.lowerBound, lengthSize),
                    let header = reader.data.bigEndian(at: rest.lowerBound + lengthSize, 1)
                else { return false }
                let type = header >> 1 & 63
                if type < 32 { return Self.startTypes.contains(type) }
                rest = rest.dropFirst(lengthSize + length)
            }
            return false
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

    /// The start of a sequence parameter set (ITU-T H.265, 7.3.2.2), which determines memory.
    ///
    /// libde265 would allocate memory for pictures of any size before it returns an error.
    struct HEVCSequence: Hashable {
        /// The size of the decoded pictures.
        let codedSize: PixelSize
        /// The size after the conformance window.
        let size: PixelSize
        /// 0 for monochrome, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
        let chromaFormat: Int
        /// The depth of luma and chroma, 8 to 12.
        let bitDepth: Int

        /// Reads a NAL unit of type 33.
        init(_ unit: some Collection<UInt8>) throws(ImageDecodingError) {
            var bits = SequenceBits(unit)
            try bits.skip(4)
            let subLayers = try bits.read(3)
            guard subLayers <= 6 else { throw .malformed(.heic, "a sequence has too many layers") }
            try bits.skipProfile(subLayers: subLayers)
            _ = try bits.code(upTo: 15)
            chromaFormat = try bits.code(upTo: 3)
            if chromaFormat == 3, try bits.flag() { throw .unsupported(.heic, "separately coded color planes") }
            codedSize = PixelSize(width: try bits.code(upTo: 1 << 16), height: try bits.code(upTo: 1 << 16))
            var size = codedSize
            if try bits.flag() {
                let (across, down) = (chromaFormat == 1 || chromaFormat == 2 ? 2 : 1, chromaFormat == 1 ? 2 : 1)
                size.width -= across * (try bits.code(upTo: 1 << 16) + bits.code(upTo: 1 << 16))
                size.height -= down * (try bits.code(upTo: 1 << 16) + bits.code(upTo: 1 << 16))
            }
            // Padding up to a whole coding block is all that the coded size may add.
            guard size.width > 0, size.height > 0, codedSize.width - size.width < 64,
                codedSize.height - size.height < 64
            else { throw .malformed(.heic, "a sequence has an invalid size") }
            self.size = size
            bitDepth = 8 + (try bits.code(upTo: 8))
            let chromaDepth = 8 + (try bits.code(upTo: 8))
            guard bitDepth <= 12, chromaDepth == bitDepth || chromaFormat == 0 else {
                throw .unsupported(.heic, "\(bitDepth) bits of luma and \(chromaDepth) bits of chroma")
            }
        }

        /// The bytes of a sample in memory.
        var bytesPerSample: Int { bitDepth > 8 ? 2 : 1 }

        /// The number of samples in all planes for an image of this area.
        func sampleCount(area: Int) -> Int { area + [0, area / 2, area, 2 * area][chromaFormat] }
    }

    /// The bits of a NAL unit (7.3 and 9.2) after its header of two bytes. Functions throw `.malformed` at the end.
    private struct SequenceBits {
        private let bytes: [UInt8]
        private var position = 0

        /// - Parameter unit: The NAL unit. Emulation prevention bytes are removed (7.3.1.1).
        init(_ unit: some Collection<UInt8>) {
            var bytes: [UInt8] = []
            var zeros = 0
            for byte in unit.dropFirst(2) {
                let isPrevention = zeros >= 2 && byte == 3
                zeros = byte == 0 ? zeros + 1 : 0
                if !isPrevention { bytes.append(byte) }
            }
            self.bytes = bytes
        }

        /// Reads an unsigned number of up to 32 bits.
        mutating func read(_ count: Int) throws(ImageDecodingError) -> Int {
            let start = position
            try skip(count)
            return (start..<position).reduce(0) { $0 << 1 | Int(bytes[$1 >> 3] >> (7 - UInt8($1 & 7)) & 1) }
        }

        mutating func flag() throws(ImageDecodingError) -> Bool { try read(1) == 1 }

        mutating func skip(_ count: Int) throws(ImageDecodingError) {
            guard count <= 8 * bytes.count - position else { throw .malformed(.heic, "a parameter set ends too early") }
            position += count
        }

        /// Reads an unsigned Exp-Golomb code. Throws `.malformed` if it is above `largest`.
        mutating func code(upTo largest: Int) throws(ImageDecodingError) -> Int {
            var zeros = 0
            while zeros < 32, try !flag() { zeros += 1 }
            let value = (1 << zeros) - 1 + (try read(zeros))
            guard value <= largest else { throw .malformed(.heic, "a parameter set has a number out of range") }
            return value
        }

        /// Skips a flag and profile_tier_level (7.3.3).
        mutating func skipProfile(subLayers: Int) throws(ImageDecodingError) {
            try skip(1 + 96)
            var length = 0
            for _ in 0..<subLayers {
                if try flag() { length += 88 }
                if try flag() { length += 8 }
            }
            try skip(subLayers > 0 ? 2 * (8 - subLayers) + length : 0)
        }
    }
#endif
