/// A set of slots, which are small numbers. Takes one bit for each slot.
struct SlotSet: Sendable {
    private var words: [UInt64] = []
    /// The index of the first word with a set bit, or the number of words if there is none.
    private var firstWord = 0

    func contains(_ slot: Int) -> Bool {
        slot / 64 < words.count && words[slot / 64] >> UInt64(slot % 64) & 1 == 1
    }

    mutating func insert(_ slot: Int) {
        let word = slot / 64
        firstWord = firstWord == words.count ? word : min(firstWord, word)
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        words[word] |= 1 << UInt64(slot % 64)
    }

    /// Removes a slot that is in the set.
    mutating func remove(_ slot: Int) {
        words[slot / 64] &= ~(1 << UInt64(slot % 64))
        while firstWord < words.count, words[firstWord] == 0 { firstWord += 1 }
    }

    /// The smallest slot. `nil` if the set is empty.
    var first: Int? {
        firstWord < words.count ? firstWord * 64 + words[firstWord].trailingZeroBitCount : nil
    }

    /// Returns the greatest slot below `end` that is not in the set.
    func lastMissing(below end: Int) -> Int? {
        var slot = end - 1
        while slot >= 0 {
            let word = slot / 64 < words.count ? words[slot / 64] : 0
            // The shift makes the bit of `slot` the highest bit.
            let missing = ~word << UInt64(63 - slot % 64)
            if missing != 0 { return slot - missing.leadingZeroBitCount }
            slot -= slot % 64 + 1
        }
        return nil
    }

    /// Removes `end` and all greater slots.
    mutating func removeSlots(from end: Int) {
        guard end < words.count * 64 else { return }
        words.removeLast(words.count - (end + 63) / 64)
        if end % 64 > 0 { words[end / 64] &= 1 << UInt64(end % 64) - 1 }
        firstWord = words.indices.first { words[$0] != 0 } ?? words.count
    }

    /// Returns up to `maxCount` of the smallest slots, in order.
    func slots(_ maxCount: Int = .max) -> [Int] {
        var slots: [Int] = []
        for index in words.indices.dropFirst(firstWord) {
            var word = words[index]
            while word != 0, slots.count < maxCount {
                slots.append(index * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
            if slots.count == maxCount { break }
        }
        return slots
    }
}
