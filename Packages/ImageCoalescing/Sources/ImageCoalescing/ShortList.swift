/// A list that needs no memory of its own while it has one element, as most have.
struct ShortList<Element: Sendable>: Sendable {
    private var first: Element?
    private var others: [Element] = []

    init() {}

    init(_ first: Element) { self.first = first }

    var isEmpty: Bool { first == nil }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    func forEach(_ body: (Element) -> Void) {
        if let first { body(first) }
        for element in others { body(element) }
    }

    /// In the same order, without those of which nothing becomes.
    func compactMap<Other: Sendable>(_ transform: (Element) -> Other?) -> ShortList<Other> {
        var all = ShortList<Other>()
        forEach { if let other = transform($0) { all.append(other) } }
        return all
    }
}
