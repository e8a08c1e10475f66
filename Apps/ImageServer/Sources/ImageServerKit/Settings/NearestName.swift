extension Sequence<String> {
    /// Returns the name that needs the fewest changes of a character to become another one; nil if there is no name.
    func nearest(to name: String) -> String? {
        self.min { $0.distance(to: name) < $1.distance(to: name) }
    }
}

extension String {
    /// The number of characters that must be inserted, removed, replaced or swapped with their neighbour.
    fileprivate func distance(to other: String) -> Int {
        let (left, right) = (Array(lowercased()), Array(other.lowercased()))
        var before: [Int] = []
        var last = Array(0...right.count)
        for (i, character) in left.enumerated() {
            var row = [i + 1]
            for (j, wanted) in right.enumerated() {
                var cost = Swift.min(last[j + 1], row[j]) + 1
                cost = Swift.min(cost, last[j] + (character == wanted ? 0 : 1))
                if i > 0, j > 0, character == right[j - 1], left[i - 1] == wanted {
                    cost = Swift.min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            before = last
            last = row
        }
        return last[right.count]
    }
}
