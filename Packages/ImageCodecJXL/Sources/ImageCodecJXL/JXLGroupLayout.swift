#if JXL
    import ImageCore

    /// The division of a frame into groups, and of its codestream into sections (ISO/IEC 18181-1, F.2 and 7.1).
    struct JXLGroupLayout {
        /// The width and height of a group in coded pixels.
        let dimension: Int
        let columns: Int
        /// The number of groups.
        let count: Int
        /// The number of groups of low frequencies, each of which covers 8 x 8 groups.
        let lowFrequencyCount: Int
        let sectionCount: Int

        /// Divides a frame.
        ///
        /// - Parameters:
        ///   - size: The coded size.
        ///   - dimension: The width and height of a group.
        ///   - subsampling: The base-2 logarithms of the coarsest chroma subsampling.
        init(_ size: PixelSize, dimension: Int, subsampling: (horizontal: Int, vertical: Int), passCount: Int) {
            self.dimension = dimension
            columns = size.width.dividedRoundingUp(by: dimension)
            count = columns * size.height.dividedRoundingUp(by: dimension)
            let blockColumns =
                size.width.dividedRoundingUp(by: 8 << subsampling.horizontal) << subsampling.horizontal
            let blockRows = size.height.dividedRoundingUp(by: 8 << subsampling.vertical) << subsampling.vertical
            lowFrequencyCount =
                blockColumns.dividedRoundingUp(by: dimension) * blockRows.dividedRoundingUp(by: dimension)
            let isSingle = count == 1 && passCount == 1
            sectionCount = isSingle ? 1 : 2 + lowFrequencyCount + count * passCount
        }
    }

    extension Int {
        func dividedRoundingUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
    }
#endif
