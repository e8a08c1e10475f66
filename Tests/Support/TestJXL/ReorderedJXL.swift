#if JXL
    public import Foundation

    extension TestJXL {
        /// Returns a codestream of one frame whose first three sections, which have the low frequencies, are stored among the
        /// others: the first one after a group, and the other two last. libjxl 0.10 and later stores them late, too.
        ///
        /// The bit before the table of contents can't be told from the padding, so there are several results. One is valid.
        ///
        /// - Parameter sectionCount: The number of all sections, more than 6.
        public static func storingLowFrequenciesLate(of sectionCount: Int, in file: Data) -> [Data] {
            (16..<8 * 64).compactMap { position in
                var reader = Reader(bytes: file, position: position / 8 * 8 + 8)
                let lengths = (0..<sectionCount).map { _ in reader.length() }
                let start = (reader.position + 7) / 8
                guard start + lengths.reduce(0, +) == file.count else { return nil }
                let sections = lengths.indices.map { index -> Data in
                    let offset = start + lengths[..<index].reduce(0, +)
                    return file[offset..<offset + lengths[index]]
                }
                let order = [sections[3], sections[0]] + sections[4...] + sections[1...2]
                let head = contents(order.map(\.count), after: file.prefix(position / 8 + 1), position)
                return head + Data(order.joined())
            }
        }

        /// Returns the start of a file up to a bit, and then a table of contents with that order (ISO/IEC 18181-1, F.3).
        private static func contents(_ lengths: [Int], after start: Data, _ position: Int) -> Data {
            var writer = JXLBits()
            for bit in 0..<position { writer.bits(1, Int(start[bit / 8] >> UInt8(bit % 8))) }
            let distance = lengths.count - 3
            let width = Int.bitWidth - distance.leadingZeroBitCount
            writer.bits(1, 1)  // another order
            writer.bits(4, 0b0010)  // no repetitions, one code in a table of 0 bits
            writer.bits(5, 0b11111)  // prefix codes of whole integers
            writer.bits(1, 1)
            writer.bits(4, width - 1)
            writer.bits(width - 1, distance)  // the largest symbol, without its highest bit
            writer.bits(4, 0b1001)  // three symbols, of which the first has the code 0, 1 has 10 and 3 has 11
            for symbol in [distance, 1, 3] { writer.bits(width, symbol) }
            // Three positions follow: 1, and twice the distance.
            for code in [1, 1, 1, 0, 0, 0] { writer.bits(1, code) }
            writer.align()
            for length in lengths { writer.sectionLength(length) }
            writer.align()
            return writer.data
        }

        private struct Reader {
            let bytes: Data
            var position: Int

            mutating func bits(_ count: Int) -> Int {
                defer { position += count }
                return (position..<position + count).reversed().reduce(0) { value, bit in
                    value << 1 | (bit / 8 < bytes.count ? Int(bytes[bit / 8] >> UInt8(bit % 8)) & 1 : 0)
                }
            }

            mutating func length() -> Int {
                let (count, offset) = JXLBits.lengths[bits(2)]
                return bits(count) + offset
            }
        }
    }

    extension JXLBits {
        /// The number of bits and the least value of each form of a section length.
        fileprivate static let lengths = [(10, 0), (14, 1024), (22, 17_408), (30, 4_211_712)]

        fileprivate mutating func sectionLength(_ length: Int) {
            let form = Self.lengths.lastIndex { $0.1 <= length } ?? 0
            bits(2, form)
            bits(Self.lengths[form].0, length - Self.lengths[form].1)
        }
    }
#endif
