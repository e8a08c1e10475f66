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
#endif
