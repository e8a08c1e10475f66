#if JXL
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Reads a frame header and a table of contents.
    struct JXLFrameReader {
        private var reader: JXLBitReader
        private let info: JXLInfo
        private var frame: JXLFrame
        private var flags: UInt64 = 0
        /// The ratio of the decoded size to the coded size.
        private var upsampling = 1
        private var groupSizeShift = 1
        /// The base-2 logarithms of the coarsest chroma subsampling.
        private var subsampling = (horizontal: 0, vertical: 0)
        private var lowFrequencyLevel = 0

        /// A frame that uses the low frequencies of an earlier frame.
        private static let usesLowFrequencyFrame: UInt64 = 32

        /// Reads the frame at a byte of the codestream.
        ///
        /// - Parameter isPreview: Whether it is the preview, which is before the first frame.
        /// - Throws: `.truncated` or `.malformed`.
        static func read(
            _ codestream: Data, at offset: Int, info: JXLInfo, isPreview: Bool
        ) throws(DecodingFailure) -> JXLFrame {
            var reader = JXLFrameReader(codestream, at: offset, info: info, isPreview: isPreview)
            try reader.readHeader()
            try reader.readContents()
            return reader.frame
        }

        private init(_ codestream: Data, at offset: Int, info: JXLInfo, isPreview: Bool) {
            reader = JXLBitReader(codestream, at: offset)
            self.info = info
            frame = JXLFrame(size: isPreview ? info.previewSize : info.size)
        }

        private mutating func readHeader() throws(DecodingFailure) {
            if try reader.bool() { return }
            frame.kind = JXLFrame.Kind(rawValue: try reader.bits(2)) ?? .regular
            frame.isModular = try reader.bool()
            flags = try reader.integer()
            try readSampling()
            try readPasses()
            if frame.kind == .lowFrequency {
                lowFrequencyLevel = try reader.bits(2) + 1
                let divisor = 1 << (3 * lowFrequencyLevel)
                frame.size = PixelSize(
                    width: frame.size.width.dividedRoundingUp(by: divisor),
                    height: frame.size.height.dividedRoundingUp(by: divisor))
            }
            let isPartial = try readArea()
            try readComposition(isPartial: isPartial)
            let nameLength = try reader.choice(.value(0), .bits(4, plus: 0), .bits(5, plus: 16), .bits(10, plus: 48))
            try reader.skip(UInt64(8 * nameLength))
            try skipFilters()
            try reader.skipExtensions()
        }

        private mutating func readSampling() throws(DecodingFailure) {
            let isYCbCr = info.isXYB ? false : try reader.bool()
            let usesLowFrequencyFrame = flags & Self.usesLowFrequencyFrame != 0
            if isYCbCr, !usesLowFrequencyFrame {
                for _ in 0..<3 {
                    let mode = try reader.bits(2)
                    subsampling.horizontal = max(subsampling.horizontal, mode == 1 || mode == 2 ? 1 : 0)
                    subsampling.vertical = max(subsampling.vertical, mode == 1 || mode == 3 ? 1 : 0)
                }
            }
            if !usesLowFrequencyFrame {
                upsampling = 1 << (try reader.bits(2))
                for _ in 0..<info.extraChannelCount { _ = try reader.bits(2) }
            }
            if frame.isModular {
                groupSizeShift = try reader.bits(2)
            } else if info.isXYB {
                _ = try reader.bits(6)
            }
        }

        private mutating func readPasses() throws(DecodingFailure) {
            guard frame.kind != .referenceOnly else { return }
            frame.passCount = try reader.choice(.value(1), .value(2), .value(3), .bits(3, plus: 4))
            guard frame.passCount != 1 else { return }
            let steps = try reader.choice(.value(0), .value(1), .value(2), .bits(1, plus: 3))
            _ = try reader.bits(2 * (frame.passCount - 1))
            for _ in 0..<steps { _ = try reader.bits(2) }
            for _ in 0..<steps { _ = try reader.choice(.value(0), .value(1), .value(2), .bits(3, plus: 0)) }
        }

        /// Reads the position and the size. Returns whether a part of the canvas is not covered.
        private mutating func readArea() throws(DecodingFailure) -> Bool {
            guard frame.kind != .lowFrequency, try reader.bool() else { return false }
            frame.isComposited = true
            let hasOrigin = frame.kind != .referenceOnly
            let left = hasOrigin ? try readLength().unpacked : 0
            let top = hasOrigin ? try readLength().unpacked : 0
            let canvas = frame.size
            frame.size = PixelSize(width: try readLength(), height: try readLength())
            guard frame.size.width > 0, frame.size.height > 0 else { throw .malformed(.jxl, "a frame is empty") }
            guard hasOrigin else { return false }
            let coversCanvas =
                left <= 0 && top <= 0 && frame.size.width + left >= canvas.width
                && frame.size.height + top >= canvas.height
            return !coversCanvas
        }

        private mutating func readLength() throws(DecodingFailure) -> Int {
            try reader.choice(.bits(8, plus: 0), .bits(11, plus: 256), .bits(14, plus: 2304), .bits(30, plus: 18_688))
        }

        /// Reads blending, timing, and the slot in which the frame is stored.
        private mutating func readComposition(isPartial: Bool) throws(DecodingFailure) {
            let isVisible = frame.kind == .regular || frame.kind == .skipProgressive
            let replaces = isVisible ? try readPresentation(isPartial: isPartial) : true
            if frame.kind != .regular { frame.isLast = false }
            if frame.kind == .lowFrequency {
                frame.savedSlot = 3 + lowFrequencyLevel
                return
            }
            let slot = frame.isLast ? 0 : try reader.bits(2)
            let canBeReferenced = !frame.isLast && (frame.duration == 0 || slot != 0)
            if canBeReferenced { frame.savedSlot = slot }
            let hasColorTransformFlag = !isVisible || canBeReferenced && replaces && !isPartial
            if hasColorTransformFlag { _ = try reader.bool() }
        }

        /// Reads blending and timing. Returns whether the colors replace those of the canvas.
        private mutating func readPresentation(isPartial: Bool) throws(DecodingFailure) -> Bool {
            let replaces = try readBlending(isPartial: isPartial)
            if !replaces { frame.isComposited = true }
            for _ in 0..<info.extraChannelCount {
                if try !readBlending(isPartial: isPartial) { frame.isComposited = true }
            }
            if info.hasAnimation {
                frame.duration = try reader.choice(.value(0), .value(1), .bits(8, plus: 0), .bits(32, plus: 0))
                if info.hasTimecodes { _ = try reader.bits(32) }
            }
            frame.isLast = try reader.bool()
            return replaces
        }

        /// Reads how a channel is blended. Returns whether it replaces that of the canvas.
        private mutating func readBlending(isPartial: Bool) throws(DecodingFailure) -> Bool {
            let mode = try reader.choice(.value(0), .value(1), .value(2), .bits(2, plus: 3))
            guard mode <= 4 else { throw .malformed(.jxl, "a frame has an unknown blend mode") }
            let usesAlpha = info.extraChannelCount > 0 && (mode == 2 || mode == 3)
            if usesAlpha { _ = try reader.choice(.value(0), .value(1), .value(2), .bits(3, plus: 3)) }
            if usesAlpha || mode == 4 { _ = try reader.bool() }
            if mode != 0 || isPartial { _ = try reader.bits(2) }
            return mode == 0
        }

        /// Skips the parameters of the loop filters (J.1).
        private mutating func skipFilters() throws(DecodingFailure) {
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

        /// Reads the table of contents.
        private mutating func readContents() throws(DecodingFailure) {
            let layout = groupLayout
            guard layout.sectionCount <= 65_536 else { throw .malformed(.jxl, "a frame has too many sections") }
            frame.groupHeight = layout.dimension * upsampling
            frame.filterReach = 16 * upsampling
            frame.isReordered = try reader.bool()
            if frame.isReordered { try skipOrder(of: layout.sectionCount) }
            reader.align()
            let lengths = try readSectionLengths(layout.sectionCount)
            reader.align()
            addSections(of: lengths, layout)
        }

        private var groupLayout: JXLGroupLayout {
            let codedSize = PixelSize(
                width: frame.size.width.dividedRoundingUp(by: upsampling),
                height: frame.size.height.dividedRoundingUp(by: upsampling))
            return JXLGroupLayout(
                codedSize, dimension: 128 << groupSizeShift, subsampling: subsampling, passCount: frame.passCount)
        }

        /// Skips a permutation (F.3.2).
        private mutating func skipOrder(of count: Int) throws(DecodingFailure) {
            func context(_ value: Int) -> Int { min(Int.bitWidth - value.leadingZeroBitCount, 7) }
            var entropy = try JXLEntropyReader(contextCount: 8, from: &reader)
            let codedCount = try entropy.integer(context: context(count), from: &reader)
            guard codedCount <= count else { throw .malformed(.jxl, "the order of the sections is invalid") }
            var last = 0
            for _ in 0..<codedCount { last = try entropy.integer(context: context(last), from: &reader) }
        }

        private mutating func readSectionLengths(_ count: Int) throws(DecodingFailure) -> [Int] {
            var lengths: [Int] = []
            for _ in 0..<count {
                lengths.append(
                    try reader.choice(
                        .bits(10, plus: 0), .bits(14, plus: 1024), .bits(22, plus: 17_408), .bits(30, plus: 4_211_712)))
            }
            return lengths
        }

        /// Adds the sections, which start at the position of the reader.
        private mutating func addSections(of lengths: [Int], _ layout: JXLGroupLayout) {
            if lengths.count > 1 {
                frame.hasLowFrequencies = lengths[1...layout.lowFrequencyCount].contains { $0 > 0 }
            }
            let start = reader.byteOffset
            frame.sections = start..<start + lengths.reduce(0, +)
            if frame.isReordered { return }
            var end = start
            for (index, length) in lengths.enumerated() {
                end += length
                if index == layout.lowFrequencyCount, lengths.count > 1 { frame.lowFrequencyEnd = end }
                // The groups of the last pass are at the end, in rows.
                let remaining = lengths.count - 1 - index
                if remaining < layout.count, remaining % layout.columns == 0 { frame.rowEnds.append(end) }
            }
        }
    }

    extension Int {
        /// The signed number whose lowest bit is the sign (UnpackSigned, B.2.5).
        fileprivate var unpacked: Int { self & 1 == 0 ? self >> 1 : -((self + 1) >> 1) }
    }
#endif
