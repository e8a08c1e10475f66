import Testing

@testable import ImageCoalescing

@Suite("A short list")
struct ShortListTests {
    @Test("keeps what comes in its order", arguments: [[], [1], [1, 2], [3, 1, 2, 4, 1]])
    func order(_ elements: [Int]) {
        var list = ShortList<Int>()
        for element in elements { list.append(element) }
        #expect(list.all == elements && list.isEmpty == elements.isEmpty)
        let doubled = list.compactMap { $0 == 1 ? nil : 2 * $0 }
        #expect(doubled.all == elements.filter { $0 != 1 }.map { 2 * $0 })
    }

    @Test("begins with one")
    func first() { #expect(ShortList(7).all == [7]) }
}

extension ShortList {
    var all: [Element] {
        var all: [Element] = []
        forEach { all.append($0) }
        return all
    }
}
