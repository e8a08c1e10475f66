/// A set of places: small numbers, a bit for each.
struct PlaceSet: Sendable {
    private var words: [UInt64] = []
    /// The first word with a bit that is set; the number of words when there is none.
    private var firstWord = 0

    func contains(_ place: Int) -> Bool {
        place / 64 < words.count && words[place / 64] >> UInt64(place % 64) & 1 == 1
    }

    mutating func insert(_ place: Int) {
        let word = place / 64
        firstWord = firstWord == words.count ? word : min(firstWord, word)
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        words[word] |= 1 << UInt64(place % 64)
    }

    /// Takes out a place that is in the set.
    mutating func remove(_ place: Int) {
        words[place / 64] &= ~(1 << UInt64(place % 64))
        while firstWord < words.count, words[firstWord] == 0 { firstWord += 1 }
    }

    /// The least.
    var first: Int? {
        firstWord < words.count ? firstWord * 64 + words[firstWord].trailingZeroBitCount : nil
    }

    /// The greatest place below `end` that is not in the set; nil when there is none.
    func lastMissing(below end: Int) -> Int? {
        var place = end - 1
        while place >= 0 {
            let word = place / 64 < words.count ? words[place / 64] : 0
            // The place's own bit on top.
            let missing = ~word << UInt64(63 - place % 64)
            if missing != 0 { return place - missing.leadingZeroBitCount }
            place -= place % 64 + 1
        }
        return nil
    }

    /// Takes out all places from `end` on.
    mutating func cut(to end: Int) {
        guard end < words.count * 64 else { return }
        words.removeLast(words.count - (end + 63) / 64)
        if end % 64 > 0 { words[end / 64] &= 1 << UInt64(end % 64) - 1 }
        firstWord = words.indices.first { words[$0] != 0 } ?? words.count
    }

    /// The least ones, in order.
    func places(_ most: Int = .max) -> [Int] {
        var places: [Int] = []
        for index in words.indices.dropFirst(firstWord) {
            var word = words[index]
            while word != 0, places.count < most {
                places.append(index * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
            if places.count == most { break }
        }
        return places
    }
}
