#if AVIF
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The first box of a file: a major brand, a version and compatible brands (ISO/IEC 14496-12, 4.3).
    struct FileTypeBox {
        /// The available brands, major brand first.
        private let brands: [BoxType]

        /// Reads the box from the first bytes of a file. Returns nil if they are not the start of such a box.
        init?(_ prefix: Data) {
            let bytes = BoxBytes(prefix)
            // Sizes below 16 have a special meaning, which writers don't use for this box, or are too small.
            guard bytes.integer(at: 4, length: 4) == BoxType.fileType.rawValue,
                let size = bytes.integer(at: 0, length: 4), size >= 16
            else { return nil }
            let offsets = [8] + stride(from: 16, to: min(size, bytes.count) - 3, by: 4)
            brands = offsets.compactMap { bytes.integer(at: $0, length: 4) }.map(BoxType.init)
        }

        /// Whether the file declares to be AVIF, still or animated.
        var isAVIF: Bool { brands.contains("avif") || brands.contains("avis") }
    }
#endif
