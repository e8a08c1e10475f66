#if JXL
    import ImageCore

    /// The header of a frame (ISO/IEC 18181-1, F.2) and its table of contents (F.3).
    struct JXLFrame {
        enum Kind: Int {
            case regular, lowFrequency, referenceOnly, skipProgressive
        }

        var kind = Kind.regular
        var isModular = false
        /// The size of the decoded frame.
        var size: PixelSize
        var passCount = 1
        /// The number of ticks for which the frame is shown.
        var duration = 0
        var isLast = true
        /// Whether the frame is blended with others or covers only a part of the canvas.
        var isComposited = false
        /// The slot in which the frame is stored for later frames: 0 to 3, and 4 to 7 for low frequencies. Nil for none.
        var savedSlot: Int?
        var sectionCount = 1
        /// The range of the sections in the codestream. Nil if they are stored in another order, which is not read.
        var sections: Range<Int>?
        /// The offset in the codestream of the end of the low frequencies, which show the whole image. Nil if they are not
        /// separate, or if the order is unknown.
        var lowFrequencyEnd: Int?
        /// Whether its low frequencies are those of an earlier frame.
        var usesLowFrequencyFrame = false
        /// Whether the sections of low frequencies have bytes. In a modular frame, they have none unless it is stored in
        /// several resolutions.
        var hasLowFrequencies = true
        /// The offsets in the codestream up to which each row of groups is complete. Empty if the order is unknown.
        var rowEnds: [Int] = []
        /// The number of rows of a group.
        var groupHeight = 256
        /// The number of rows above and below a row that affect it.
        var filterReach = 16

        init(size: PixelSize) { self.size = size }

        /// Whether it is shown by itself. Other frames are parts of a later one.
        var isDisplayed: Bool { isLast || isVisible && duration > 0 }

        var isVisible: Bool { kind == .regular || kind == .skipProgressive }

        /// Whether the whole frame can be shown in less detail before it is complete. Other frames can be shown by rows.
        func showsDetail(_ info: JXLInfo) -> Bool { !isModular && info.extraChannelCount == 0 }

        /// The number of rows from the top that are complete if the first `count` bytes of the codestream are available.
        func completeRows(in count: Int) -> Int {
            let groups = rowEnds.prefix { $0 <= count }.count
            if groups > 0, groups == rowEnds.count { return size.height }
            return min(size.height, max(0, groups * groupHeight - filterReach))
        }
    }

    /// Reads a frame header and a table of contents.
    struct JXLFrameReader {
        private var reader: JXLBitReader
        private let info: JXLInfo
        private var frame: JXLFrame
        /// The ratio of the decoded size to the coded size.
        private var upsampling = 1
        /// The width and height of a group in coded pixels.
        private var groupSize = 256
        /// The base-2 logarithms of the coarsest chroma subsampling.
        private var subsampling = (horizontal: 0, vertical: 0)
        /// The number of groups in a row.
        private var columns = 1
        private var groupCount = 1
        /// The number of groups of low frequencies, each of which covers 8 x 8 groups.
        private var lowFrequencyCount = 1

        /// Reads the frame at a byte of the codestream, or the preview, which is before the first frame.
        static func read(
            _ codestream: Data, at offset: Int, info: JXLInfo, isPreview: Bool
        ) throws(ImageDecodingError) -> JXLFrame {
            var reader = JXLFrameReader(codestream, at: offset, info: info, isPreview: isPreview)
            try reader.readHeader()
            try reader.countSections()
            try reader.readContents()
            return reader.frame
        }

        private init(_ codestream: Data, at offset: Int, info: JXLInfo, isPreview: Bool) {
            reader = JXLBitReader(codestream, at: offset)
            self.info = info
            frame = JXLFrame(size: isPreview ? info.previewSize : info.size)
        }

        private mutating func readHeader() throws(ImageDecodingError) {
            if try reader.bool() { return }
            frame.kind = JXLFrame.Kind(rawValue: try reader.bits(2)) ?? .regular
            frame.isModular = try reader.bool()
            frame.usesLowFrequencyFrame = try reader.integer() & 32 != 0
            try readSampling()
            try readPasses()
            if frame.kind == .lowFrequency {
                let level = try reader.bits(2) + 1
                frame.savedSlot = 3 + level
                frame.size = frame.size.divided(by: 1 << (3 * level))
            }
            let isPartial = try readArea()
            try readComposition(isPartial: isPartial)
            let nameLength = try reader.choice((0, 0), (4, 0), (5, 16), (10, 48))
            try reader.skip(UInt64(8 * nameLength))
            try skipFilters()
            try reader.skipExtensions()
        }

        private mutating func readSampling() throws(ImageDecodingError) {
            let isYCbCr = info.isXYB ? false : try reader.bool()
            if !frame.usesLowFrequencyFrame {
                for _ in 0..<(isYCbCr ? 3 : 0) {
                    let mode = try reader.bits(2)
                    subsampling.horizontal = max(subsampling.horizontal, mode == 1 || mode == 2 ? 1 : 0)
                    subsampling.vertical = max(subsampling.vertical, mode == 1 || mode == 3 ? 1 : 0)
                }
                upsampling = 1 << (try reader.bits(2))
                for _ in 0..<info.extraChannelCount { _ = try reader.bits(2) }
            }
            if frame.isModular {
                groupSize = 128 << (try reader.bits(2))
            } else if info.isXYB {
                _ = try reader.bits(6)
            }
        }

        private mutating func readPasses() throws(ImageDecodingError) {
            guard frame.kind != .referenceOnly else { return }
            frame.passCount = try reader.choice((0, 1), (0, 2), (0, 3), (3, 4))
            guard frame.passCount != 1 else { return }
            let steps = try reader.choice((0, 0), (0, 1), (0, 2), (1, 3))
            _ = try reader.bits(2 * (frame.passCount - 1) + 2 * steps)
            for _ in 0..<steps { _ = try reader.choice((0, 0), (0, 1), (0, 2), (3, 0)) }
        }

        /// Reads the position and the size. Returns whether a part of the canvas is not covered.
        private mutating func readArea() throws(ImageDecodingError) -> Bool {
            guard frame.kind != .lowFrequency, try reader.bool() else { return false }
            frame.isComposited = true
            let hasOrigin = frame.kind != .referenceOnly
            let left = hasOrigin ? try readLength().unpacked : 0
            let top = hasOrigin ? try readLength().unpacked : 0
            let canvas = frame.size
            frame.size = PixelSize(width: try readLength(), height: try readLength())
            guard frame.size.width > 0, frame.size.height > 0 else { throw .malformed(.jpegXL, "a frame is empty") }
            let coversCanvas =
                left <= 0 && top <= 0 && frame.size.width + left >= canvas.width
                && frame.size.height + top >= canvas.height
            return hasOrigin && !coversCanvas
        }

        private mutating func readLength() throws(ImageDecodingError) -> Int {
            try reader.choice((8, 0), (11, 256), (14, 2304), (30, 18_688))
        }

        /// Reads blending, timing, and the slot in which the frame is stored.
        private mutating func readComposition(isPartial: Bool) throws(ImageDecodingError) {
            let replaces = frame.isVisible ? try readPresentation(isPartial: isPartial) : true
            if frame.kind != .regular { frame.isLast = false }
            if frame.kind == .lowFrequency { return }
            let slot = frame.isLast ? 0 : try reader.bits(2)
            let canBeReferenced = !frame.isLast && (frame.duration == 0 || slot != 0)
            if canBeReferenced { frame.savedSlot = slot }
            let hasColorTransformFlag = !frame.isVisible || canBeReferenced && replaces && !isPartial
            if hasColorTransformFlag { _ = try reader.bool() }
        }

        /// Reads blending and timing. Returns whether the colors replace those of the canvas.
        private mutating func readPresentation(isPartial: Bool) throws(ImageDecodingError) -> Bool {
            let replaces = try readBlending(isPartial: isPartial)
            for _ in 0..<info.extraChannelCount { _ = try readBlending(isPartial: isPartial) }
            if info.hasAnimation {
                frame.duration = try reader.choice((0, 0), (0, 1), (8, 0), (32, 0))
                if info.hasTimecodes { _ = try reader.bits(32) }
            }
            frame.isLast = try reader.bool()
            return replaces
        }

        /// Reads how a channel is blended. Returns whether it replaces that of the canvas.
        private mutating func readBlending(isPartial: Bool) throws(ImageDecodingError) -> Bool {
            let mode = try reader.choice((0, 0), (0, 1), (0, 2), (2, 3))
            guard mode <= 4 else { throw .malformed(.jpegXL, "a frame has an unknown blend mode") }
            let usesAlpha = info.extraChannelCount > 0 && (mode == 2 || mode == 3)
            if usesAlpha { _ = try reader.choice((0, 0), (0, 1), (0, 2), (3, 3)) }
            if usesAlpha || mode == 4 { _ = try reader.bool() }
            if mode != 0 || isPartial { _ = try reader.bits(2) }
            if mode != 0 { frame.isComposited = true }
            return mode == 0
        }

        /// Skips the parameters of the loop filters (J.1).
        private mutating func skipFilters() throws(ImageDecodingError) {
            if try reader.bool() { return }
            if try reader.bool(), try reader.bool() { try reader.skip(6 * 16) }
            if try reader.bits(2) > 0 {
                if !frame.isModular, try reader.bool() { try reader.skip(8 * 16) }
                if try reader.bool() { try reader.skip(5 * 16) }
                if try reader.bool() { try reader.skip(frame.isModular ? 3 * 16 : 4 * 16) }
                if frame.isModular { try reader.skip(16) }
            }
            try reader.skipExtensions()
        }

        /// Divides the frame into groups, and its codestream into sections (7.1).
        private mutating func countSections() throws(ImageDecodingError) {
            let size = frame.size.divided(by: upsampling)
            columns = size.width.divided(by: groupSize)
            groupCount = columns * size.height.divided(by: groupSize)
            let (across, down) = subsampling
            let blockColumns = size.width.divided(by: 8 << across) << across
            let blockRows = size.height.divided(by: 8 << down) << down
            lowFrequencyCount = blockColumns.divided(by: groupSize) * blockRows.divided(by: groupSize)
            let isSingle = groupCount == 1 && frame.passCount == 1
            frame.sectionCount = isSingle ? 1 : 2 + lowFrequencyCount + groupCount * frame.passCount
            guard frame.sectionCount <= 65_536 else { throw .malformed(.jpegXL, "a frame has too many sections") }
            frame.groupHeight = groupSize * upsampling
            frame.filterReach = 16 * upsampling
        }

        /// Reads the table of contents, unless the sections are reordered.
        private mutating func readContents() throws(ImageDecodingError) {
            if try reader.bool() { return }
            reader.align()
            var lengths: [Int] = []
            for _ in 0..<frame.sectionCount {
                lengths.append(try reader.choice((10, 0), (14, 1024), (22, 17_408), (30, 4_211_712)))
            }
            let start = reader.byteOffset
            if lengths.count > 1 { frame.hasLowFrequencies = lengths[1...lowFrequencyCount].contains { $0 > 0 } }
            var end = start
            for (index, length) in lengths.enumerated() {
                end += length
                if index == lowFrequencyCount, lengths.count > 1 { frame.lowFrequencyEnd = end }
                // The groups of the last pass are at the end, in rows.
                let remaining = lengths.count - 1 - index
                if remaining < groupCount, remaining % columns == 0 { frame.rowEnds.append(end) }
            }
            frame.sections = start..<end
        }
    }

    extension Int {
        /// The signed number whose lowest bit is the sign (UnpackSigned, B.2.5).
        fileprivate var unpacked: Int { self & 1 == 0 ? self >> 1 : -((self + 1) >> 1) }

        /// Returns the quotient, rounded up.
        fileprivate func divided(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
    }

    /// Reads the fields of headers (ISO/IEC 18181-1, annex B). Throws `.truncated` at the end of the bytes.
    struct JXLBitReader {
        /// A number of bits to read, and an offset to add.
        typealias Choice = (bits: Int, offset: Int)

        private let bytes: Data
        /// The position in bits.
        private var position: Int

        init(_ bytes: Data, at byteOffset: Int) {
            self.bytes = bytes
            position = 8 * byteOffset
        }

        /// The number of the byte after the position, or at it.
        var byteOffset: Int { (position + 7) / 8 }

        /// Reads up to 32 bits, the lowest first.
        mutating func bits(_ count: Int) throws(ImageDecodingError) -> Int {
            guard position + count <= 8 * bytes.count else { throw .truncated(.jpegXL) }
            var value = 0
            for index in 0..<count {
                let bit = bytes[bytes.startIndex + position / 8] >> UInt8(position % 8) & 1
                value |= Int(bit) << index
                position += 1
            }
            return value
        }

        mutating func bool() throws(ImageDecodingError) -> Bool { try bits(1) == 1 }

        /// Reads two bits and then one of four choices (U32, B.2.2).
        mutating func choice(
            _ first: Choice, _ second: Choice, _ third: Choice, _ fourth: Choice
        ) throws(ImageDecodingError) -> Int {
            let chosen = [first, second, third, fourth][try bits(2)]
            return try bits(chosen.bits) + chosen.offset
        }

        /// Reads a number of up to 64 bits (U64, B.2.3).
        mutating func integer() throws(ImageDecodingError) -> UInt64 {
            switch try bits(2) {
            case 0: return 0
            case 1: return UInt64(try bits(4) + 1)
            case 2: return UInt64(try bits(8) + 17)
            default: break
            }
            var value = UInt64(try bits(12))
            for shift in stride(from: UInt64(12), through: 60, by: 8) {
                guard try bool() else { return value }
                value |= UInt64(try bits(shift == 60 ? 4 : 8)) << shift
            }
            return value
        }

        /// Skips bits, which must exist.
        mutating func skip(_ count: UInt64) throws(ImageDecodingError) {
            guard count <= UInt64(8 * bytes.count - position) else { throw .truncated(.jpegXL) }
            position += Int(count)
        }

        /// Skips the rest of a byte.
        mutating func align() { position = 8 * byteOffset }

        /// Skips the extensions at the end of a bundle of fields (B.3).
        mutating func skipExtensions() throws(ImageDecodingError) {
            var lengths: [UInt64] = []
            for _ in 0..<(try integer().nonzeroBitCount) { lengths.append(try integer()) }
            for length in lengths { try skip(length) }
        }
    }
#endif
