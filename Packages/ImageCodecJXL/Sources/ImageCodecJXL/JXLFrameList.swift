#if JXL
    import ImageCore

    /// The frames of a codestream, read while its bytes arrive.
    ///
    /// libjxl allocates memory for each frame, including hidden ones, at any size that the frame declares. So each frame is
    /// checked against the limits first.
    struct JXLFrameList {
        private let info: JXLInfo
        private let headerEnd: Int
        /// The offset of the next frame.
        private var offset: Int
        private var isPreviewNext: Bool
        /// The offset of the first frame after the last displayed one. Frames of low frequencies are between them.
        private var partsStart: Int
        /// The bytes of the frames that are stored for later frames, for each slot.
        private var savedBytes = [Int](repeating: 0, count: 8)
        /// The number of all frames, including hidden ones.
        private var count = 0
        /// The number of pixels of the hidden frames before the next displayed one.
        private var hiddenPixels = 0
        /// The number of the reordered sections of all frames but the last one.
        private var reorderedSections = 0

        /// The duration of each displayed frame in ticks.
        private(set) var durations: [Int] = []
        /// The first displayed frame.
        private(set) var first: JXLFrame?
        /// Whether all headers have been read.
        private(set) var isComplete = false
        /// Whether libjxl 0.7 needs the whole codestream at once: it rejects reordered sections that it could not decode when
        /// it received them, and loses pixels of several passes with alpha of a lower resolution.
        private(set) var mustBeDecodedWhole = false
        /// The largest working memory of libjxl for a frame and the frames that are stored then, in bytes.
        private(set) var workingBytes = 0

        /// The maximum ratio of the pixels of all layers of an image to the limit for an image.
        private static let maximumLayers = 4

        init(after headerEnd: Int, of info: JXLInfo) {
            self.info = info
            self.headerEnd = headerEnd
            offset = headerEnd
            partsStart = headerEnd
            isPreviewNext = info.hasPreview
        }

        /// Reads the headers that are available, or only up to the first displayed frame.
        mutating func read(
            _ codestream: Data, limits: DecodingLimits, stopsAtFirst: Bool = false
        ) throws(ImageDecodingError) {
            while !isComplete, offset < codestream.count, !(stopsAtFirst && first != nil) {
                let frame: JXLFrame
                let end: Int
                do throws(ImageDecodingError) {
                    frame = try JXLFrameReader.read(codestream, at: offset, info: info, isPreview: isPreviewNext)
                    try limits.check(frame.size)
                    end = try self.end(of: frame, in: codestream, limits: limits)
                } catch .truncated {
                    return
                }
                if frame.sections == nil || frame.passCount > 1 && info.extraChannelCount > 0 {
                    mustBeDecodedWhole = true
                }
                if frame.isDisplayed || isPreviewNext { partsStart = end }
                if isPreviewNext { isPreviewNext = false } else { try add(frame, limits: limits) }
                offset = end
            }
        }

        /// Returns the offset of the next frame. It isn't needed after the last one.
        private mutating func end(
            of frame: JXLFrame, in codestream: Data, limits: DecodingLimits
        ) throws(ImageDecodingError) -> Int {
            if let sections = frame.sections { return sections.upperBound }
            if frame.isLast { return codestream.count }
            guard frame.sectionCount <= 1 << 11, reorderedSections + frame.sectionCount <= 1 << 14 else {
                throw .unsupported(.jpegXL, "too many reordered sections")
            }
            try limits.check(.decodedBytes, 4.times(max(frame.size.area, info.size.area)))
            let needed = frame.usesLowFrequencyFrame ? partsStart..<offset : offset..<offset
            let end = try JXLSession.end(
                ofReordered: frame, after: needed, in: codestream, header: headerEnd, limit: limits.encodedByteLimit)
            reorderedSections += frame.sectionCount
            return end
        }

        private mutating func add(_ frame: JXLFrame, limits: DecodingLimits) throws(ImageDecodingError) {
            count += 1
            // A file with many frames can have a few hidden ones for each.
            try limits.check(.frames, max(count / 4, durations.count + (frame.isDisplayed ? 1 : 0)))
            hiddenPixels = frame.isDisplayed ? 0 : hiddenPixels + frame.size.area
            try limits.check(.pixels, hiddenPixels / Self.maximumLayers)
            let planes = frame.size.area.times(4 * (3 + info.extraChannelCount))
            let saved = savedBytes.reduce(0) { $0.plus($1) }
            workingBytes = max(workingBytes, workingBytes(of: frame, planes: planes).plus(saved))
            if let slot = frame.savedSlot { savedBytes[slot] = planes }
            if frame.isDisplayed {
                if first == nil { first = frame }
                durations.append(frame.duration)
            }
            isComplete = frame.isLast
        }

        /// Returns the working memory of libjxl 0.7 for a frame, without the output. The factors are measured.
        ///
        /// - Parameter planes: The bytes of the color and extra channels with 4 bytes a sample.
        private func workingBytes(of frame: JXLFrame, planes: Int) -> Int {
            // A frame that is stored or not converted directly to the output is an image of floats.
            var bytes = frame.savedSlot != nil || info.needsFloatImage ? planes : 0
            if frame.isModular {
                // Integers, and a copy of them if several resolutions are combined.
                return bytes.plus(planes.times(frame.hasLowFrequencies ? 2 : 1))
            }
            // What is stored for each block, and the borders of groups.
            bytes = bytes.plus(frame.size.area.times(4))
            // With extra channels, all groups are kept until these are decoded.
            if info.extraChannelCount > 0 { bytes = bytes.plus(planes.times(2)) }
            // The coefficients of several passes.
            if frame.passCount > 1 { bytes = bytes.plus(frame.size.area.times(12)) }
            return bytes
        }
    }
#endif
