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

    /// All, in order.
    var places: [Int] {
        var places: [Int] = []
        for index in words.indices.dropFirst(firstWord) {
            var word = words[index]
            while word != 0 {
                places.append(index * 64 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
        return places
    }
}
