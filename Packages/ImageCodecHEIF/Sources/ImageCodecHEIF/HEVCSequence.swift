#if HEIF
    import ImageCore

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
        init(_ unit: some Collection<UInt8>) throws(DecodingFailure) {
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
        mutating func read(_ count: Int) throws(DecodingFailure) -> Int {
            let start = position
            try skip(count)
            return (start..<position).reduce(0) { $0 << 1 | Int(bytes[$1 >> 3] >> (7 - UInt8($1 & 7)) & 1) }
        }

        mutating func flag() throws(DecodingFailure) -> Bool { try read(1) == 1 }

        mutating func skip(_ count: Int) throws(DecodingFailure) {
            guard count <= 8 * bytes.count - position else { throw .malformed(.heic, "a parameter set ends too early") }
            position += count
        }

        /// Reads an unsigned Exp-Golomb code. Throws `.malformed` if it is above `largest`.
        mutating func code(upTo largest: Int) throws(DecodingFailure) -> Int {
            var zeros = 0
            while zeros < 32, try !flag() { zeros += 1 }
            let value = (1 << zeros) - 1 + (try read(zeros))
            guard value <= largest else { throw .malformed(.heic, "a parameter set has a number out of range") }
            return value
        }

        /// Skips a flag and profile_tier_level (7.3.3).
        mutating func skipProfile(subLayers: Int) throws(DecodingFailure) {
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
