import ImageCore

/// Which pictures somebody wants previews of who waits for them: shared work makes previews while there is one, whoever started it.
struct PreviewWishes: Sendable {
    private var counts: [ImageCacheKey: Int] = [:]

    var isEmpty: Bool { counts.isEmpty }

    func contains(_ key: ImageCacheKey) -> Bool { counts[key] != nil }

    mutating func began(_ keys: [ImageCacheKey]) {
        for key in keys { counts[key, default: 0] += 1 }
    }

    mutating func ended(_ keys: [ImageCacheKey]) {
        for key in keys {
            guard let count = counts[key] else { continue }
            counts[key] = count > 1 ? count - 1 : nil
        }
    }
}
