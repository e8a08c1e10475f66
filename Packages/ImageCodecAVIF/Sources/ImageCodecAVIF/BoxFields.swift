#if AVIF
    /// Reads consecutive fields of a full box (ISO/IEC 14496-12, 4.2.2).
    struct BoxFields {
        let version: Int
        let flags: Int
        private let bytes: BoxBytes
        private(set) var offset: Int
        private let end: Int

        init(_ bytes: BoxBytes, in content: Range<Int>) {
            self.bytes = bytes
            (offset, end) = (content.lowerBound + 4, content.upperBound)
            version = bytes.integer(at: content.lowerBound, length: 1) ?? 0
            flags = bytes.integer(at: content.lowerBound + 1, length: 3) ?? 0
        }

        /// The part of the box that was not read.
        var rest: Range<Int> { min(offset, end)..<end }

        /// Returns a number of up to 7 bytes, or nil at the end of the box.
        mutating func integer(_ length: Int) -> Int? {
            guard length <= end - offset, let value = bytes.integer(at: offset, length: length) else { return nil }
            offset += length
            return value
        }

        mutating func skip(_ count: Int) { offset += min(count, max(0, end - offset)) }
    }
#endif
