#if JXL
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

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
        /// The range of the sections in the codestream.
        var sections = 0..<0
        /// Whether the sections are stored in another order, which is not read.
        var isReordered = false
        /// The offset in the codestream of the end of the low frequencies, which show the whole image. Nil if they are not
        /// separate, or if the sections are reordered.
        var lowFrequencyEnd: Int?
        /// Whether the sections of low frequencies have bytes. In a modular frame, they have none unless it is stored in
        /// several resolutions.
        var hasLowFrequencies = true
        /// The offset in the codestream up to which the rows of groups are complete, for each row. Empty if the
        /// sections are reordered.
        var rowEnds: [Int] = []
        /// The number of rows of a group.
        var groupHeight = 256
        /// The number of rows above and below a row that affect it.
        var filterReach = 16

        /// Whether it is shown by itself. Other frames are parts of a later one.
        var isDisplayed: Bool { isLast || (kind == .regular || kind == .skipProgressive) && duration > 0 }

        /// The number of rows from the top that are complete if the first `count` bytes of the codestream are available.
        func completeRows(in count: Int) -> Int {
            let groups = rowEnds.partitioningIndex { $0 > count }
            if !rowEnds.isEmpty, groups == rowEnds.count { return size.height }
            return min(size.height, max(0, groups * groupHeight - filterReach))
        }
    }

    extension [Int] {
        /// Returns the index of the first element that meets a condition that all later ones meet too.
        fileprivate func partitioningIndex(where isAfter: (Int) -> Bool) -> Int {
            var range = indices
            while !range.isEmpty {
                let middle = (range.lowerBound + range.upperBound) / 2
                range = isAfter(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
            }
            return range.lowerBound
        }
    }
#endif
