/// The media ranges of an Accept field, with their weights (RFC 9110, section 12.5.1).
struct MediaRanges {
    let all: [(type: String, quality: Double)]

    init(_ accept: String?) {
        all = (accept ?? "").split(separator: ",").map { range in
            let parts = range.split(separator: ";").map(\.trimmed)
            let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }?.dropFirst(2)
            return (parts.first?.lowercased() ?? "", weight.map { Double($0) ?? 0 } ?? 1)
        }
    }

    /// Returns whether a type is named, and has at least the weight of another one, which wildcards include.
    func prefers(_ type: String, to other: String) -> Bool {
        let family = other.prefix { $0 != "/" } + "/*"
        guard let quality = quality(type), quality > 0 else { return false }
        return quality >= self.quality(other) ?? self.quality(String(family)) ?? self.quality("*/*") ?? 0
    }

    /// Returns the largest weight of a range; nil if it is not named.
    private func quality(_ type: String) -> Double? { all.filter { $0.type == type }.map(\.quality).max() }
}
