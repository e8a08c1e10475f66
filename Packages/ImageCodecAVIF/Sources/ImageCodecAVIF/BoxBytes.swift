#if AVIF
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The type of a box, or a brand: four characters (ISO/IEC 14496-12, 4.2).
    struct BoxType: RawRepresentable, Hashable, ExpressibleByStringLiteral {
        let rawValue: Int

        init(rawValue: Int) { self.rawValue = rawValue }

        init(stringLiteral name: StaticString) {
            rawValue = name.description.utf8.reduce(0) { $0 << 8 | Int($1) }
        }

        var name: String {
            String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * $0)) }, as: UTF8.self)
        }
    }

    /// A box: its type, and the range of its content.
    struct Box: Hashable {
        var type: BoxType
        /// The offset of its header.
        var offset: Int
        var content: Range<Int>
        /// Whether the bytes end before the box does.
        var isTruncated: Bool
    }

    /// Reads boxes and big-endian integers, with bounds checks. Offsets count from the first byte.
    struct BoxBytes {
        let bytes: Data

        init(_ bytes: Data) { self.bytes = bytes }

        var count: Int { bytes.count }

        /// Returns an unsigned integer of up to 7 bytes, or nil if it exceeds the data.
        func integer(at offset: Int, length: Int) -> Int? {
            guard offset >= 0, offset <= bytes.count - length else { return nil }
            let start = bytes.startIndex + offset
            return bytes[start..<start + length].reduce(0) { $0 << 8 | Int($1) }
        }

        /// Returns an unsigned integer of 4 or 8 bytes, or nil if it exceeds the data. All bits 1 give `UInt64.max`.
        func duration(at offset: Int, length: Int) -> UInt64? {
            guard let high = integer(at: offset, length: 4) else { return nil }
            if length == 4 { return high == 0xFFFF_FFFF ? .max : UInt64(high) }
            return integer(at: offset + 4, length: 4).map { UInt64(high) << 32 | UInt64($0) }
        }

        /// Returns whether a range starts with these characters.
        func hasText(_ text: String, at range: Range<Int>) -> Bool {
            range.count >= text.utf8.count && bytes.dropFirst(range.lowerBound).starts(with: text.utf8)
        }

        /// Returns the box at an offset in `range`, or nil if less than its header is left. Its content is limited to
        /// the range.
        func box(at offset: Int, in range: Range<Int>) -> Box? {
            guard offset <= range.upperBound - 8, let type = integer(at: offset + 4, length: 4),
                let declared = integer(at: offset, length: 4)
            else { return nil }
            var (size, start) = (declared, offset + 8)
            if declared == 1 {
                // The size is in the next 8 bytes. Larger ones than 2^56 exceed the data anyway.
                guard start + 8 <= range.upperBound, let high = integer(at: start, length: 1),
                    let low = integer(at: start + 1, length: 7)
                else { return nil }
                (size, start) = (high == 0 ? low : .max, start + 8)
            } else if declared == 0 {
                size = range.upperBound - offset
            }
            let isTruncated = size > range.upperBound - offset
            let end = isTruncated ? range.upperBound : max(start, offset + size)
            return Box(
                type: BoxType(rawValue: type), offset: offset, content: start..<end, isTruncated: isTruncated)
        }

        /// Returns the boxes in `range`, at most `limit`, or nil if there are more.
        func boxes(in range: Range<Int>, limit: Int = 1000) -> [Box]? {
            var boxes: [Box] = []
            var offset = range.lowerBound
            while let box = box(at: offset, in: range) {
                if boxes.count == limit { return nil }
                boxes.append(box)
                offset = box.content.upperBound
            }
            return boxes
        }
    }
#endif
