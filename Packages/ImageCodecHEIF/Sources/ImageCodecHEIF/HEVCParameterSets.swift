#if HEIF
    import ImageCore

    /// The parts of a sequence parameter set (ITU-T H.265, 7.3.2.2) that determine memory and color.
    struct HEVCSequence: Hashable {
        /// The size of the decoded pictures.
        private(set) var codedSize = PixelSize(width: 0, height: 0)
        /// The size after the conformance window.
        private(set) var size = PixelSize(width: 0, height: 0)
        /// 0 for monochrome, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
        private(set) var chromaFormat = 0
        /// The depth of luma and chroma, 8 to 12.
        private(set) var bitDepth = 8
        /// The binary logarithm of the side of a coding tree block.
        private(set) var blockBits = 0
        /// The color in the video usability information.
        private(set) var color: CodingColor?

        private var pictureOrderBits = 0

        /// Reads a NAL unit of type 33.
        init(_ unit: some Collection<UInt8>) throws(DecodingFailure) {
            var reader = HEVCBitReader(unit)
            try reader.skip(4)
            let subLayers = try reader.bits(3)
            try reader.skip(1)
            guard subLayers <= 6 else { throw .malformed(.heic, "a sequence has too many layers") }
            try Self.skipProfile(&reader, subLayers: subLayers)
            _ = try reader.code(upTo: 15)
            try readFormat(&reader)
            pictureOrderBits = try reader.code(upTo: 12) + 4
            for _ in (try reader.flag() ? 0 : subLayers)...subLayers {
                for _ in 0..<3 { _ = try reader.code() }
            }
            try readBlocks(&reader)
            try skipTools(&reader)
            try skipReferences(&reader)
            if try reader.flag() { try readUsability(&reader) }
        }

        /// The bytes of a sample in memory.
        var bytesPerSample: Int { bitDepth > 8 ? 2 : 1 }

        /// The number of samples in all planes for an image of this area.
        func sampleCount(area: Int) -> Int {
            switch chromaFormat {
            case 0: area
            case 1: area + area / 2
            case 2: area * 2
            default: area * 3
            }
        }

        /// profile_tier_level, 7.3.3.
        private static func skipProfile(_ reader: inout HEVCBitReader, subLayers: Int) throws(DecodingFailure) {
            try reader.skip(96)
            var length = 0
            for _ in 0..<subLayers {
                if try reader.flag() { length += 88 }
                if try reader.flag() { length += 8 }
            }
            if subLayers > 0 { try reader.skip(2 * (8 - subLayers)) }
            try reader.skip(length)
        }

        private mutating func readFormat(_ reader: inout HEVCBitReader) throws(DecodingFailure) {
            chromaFormat = try reader.code(upTo: 3)
            if chromaFormat == 3, try reader.flag() { throw .unsupported(.heic, "separately coded color planes") }
            codedSize = PixelSize(width: try reader.code(upTo: 1 << 16), height: try reader.code(upTo: 1 << 16))
            size = codedSize
            if try reader.flag() {
                let (across, down) = (chromaFormat == 1 || chromaFormat == 2 ? 2 : 1, chromaFormat == 1 ? 2 : 1)
                size.width -= across * (try reader.code(upTo: 1 << 16) + reader.code(upTo: 1 << 16))
                size.height -= down * (try reader.code(upTo: 1 << 16) + reader.code(upTo: 1 << 16))
            }
            guard size.width > 0, size.height > 0 else { throw .malformed(.heic, "a sequence has an empty picture") }
            bitDepth = 8 + (try reader.code(upTo: 8))
            let chromaDepth = 8 + (try reader.code(upTo: 8))
            guard bitDepth <= 12, chromaDepth == bitDepth || chromaFormat == 0 else {
                throw .unsupported(.heic, "\(bitDepth) bits of luma and \(chromaDepth) bits of chroma")
            }
        }

        private mutating func readBlocks(_ reader: inout HEVCBitReader) throws(DecodingFailure) {
            let smallest = try reader.code(upTo: 3) + 3
            blockBits = smallest + (try reader.code(upTo: 3))
            let smallestTransform = try reader.code(upTo: 3) + 2
            let largestTransform = smallestTransform + (try reader.code(upTo: 3))
            for _ in 0..<2 { _ = try reader.code(upTo: 4) }
            // 7.4.3.2.1. Padding up to a whole coding block is all that the coded size may add.
            let unit = 1 << smallest
            guard (4...6).contains(blockBits), smallestTransform < smallest, largestTransform <= min(blockBits, 5),
                codedSize.width % unit == 0, codedSize.height % unit == 0,
                codedSize.width - size.width < 64, codedSize.height - size.height < 64
            else { throw .malformed(.heic, "a sequence has invalid block sizes") }
        }

        private mutating func skipTools(_ reader: inout HEVCBitReader) throws(DecodingFailure) {
            if try reader.flag(), try reader.flag() { try Self.skipScalingLists(&reader) }
            try reader.skip(2)
            if try reader.flag() {
                try reader.skip(8)
                for _ in 0..<2 { _ = try reader.code(upTo: 3) }
                try reader.skip(1)
            }
        }

        /// scaling_list_data, 7.3.4.
        private static func skipScalingLists(_ reader: inout HEVCBitReader) throws(DecodingFailure) {
            for size in 0..<4 {
                for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                    guard try reader.flag() else {
                        _ = try reader.code(upTo: 6)
                        continue
                    }
                    let count = min(64, 1 << (4 + 2 * size)) + (size > 1 ? 1 : 0)
                    for _ in 0..<count { _ = try reader.code(upTo: 512) }
                }
            }
        }

        /// st_ref_pic_set, 7.3.7, and the long-term pictures.
        private mutating func skipReferences(_ reader: inout HEVCBitReader) throws(DecodingFailure) {
            var previous = 0
            for index in 0..<(try reader.code(upTo: 64)) {
                var count = 0
                if index > 0, try reader.flag() {
                    try reader.skip(1)
                    _ = try reader.code(upTo: 1 << 15)
                    for _ in 0...previous {
                        var isUsed = try reader.flag()
                        if !isUsed { isUsed = try reader.flag() }
                        if isUsed { count += 1 }
                    }
                } else {
                    count = try reader.code(upTo: 16) + reader.code(upTo: 16)
                    for _ in 0..<count {
                        _ = try reader.code(upTo: 1 << 15)
                        try reader.skip(1)
                    }
                }
                guard count <= 16 else { throw .malformed(.heic, "a sequence has too many reference pictures") }
                previous = count
            }
            if try reader.flag() { try reader.skip(try reader.code(upTo: 32) * (pictureOrderBits + 1)) }
            try reader.skip(2)
        }

        /// The start of vui_parameters, E.2.1.
        private mutating func readUsability(_ reader: inout HEVCBitReader) throws(DecodingFailure) {
            if try reader.flag(), try reader.bits(8) == 255 { try reader.skip(32) }
            if try reader.flag() { try reader.skip(1) }
            guard try reader.flag() else { return }
            try reader.skip(3)
            var color = CodingColor(isFullRange: try reader.flag())
            if try reader.flag() {
                color.primaries = try reader.bits(8)
                color.transfer = try reader.bits(8)
                color.matrix = try reader.bits(8)
            }
            self.color = color
        }
    }

    /// The parts of a picture parameter set (ITU-T H.265, 7.3.2.3) that are needed to read the type of a slice.
    struct HEVCPicture: Hashable {
        private(set) var id = 0
        private(set) var hasDependentSlices = false
        private(set) var extraBits = 0

        /// Reads a NAL unit of type 34.
        init(_ unit: some Collection<UInt8>) throws(DecodingFailure) {
            var reader = HEVCBitReader(unit)
            id = try reader.code(upTo: 63)
            _ = try reader.code(upTo: 15)
            hasDependentSlices = try reader.flag()
            try reader.skip(1)
            extraBits = try reader.bits(3)
        }
    }
#endif
