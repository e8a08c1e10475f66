import ImageCore

/// Under which targets a picture was put into memory lately, so that a larger one can be found for a smaller request.
///
/// Remembers, and no more: what it names may have been evicted. Bounded: of the pictures (original and steps) named longest ago it forgets
/// half when there are too many.
struct SizeIndex: Sendable {
    private typealias Generation = [ImageCacheKey: Set<ImageTarget?>]

    private let limit: Int
    private var young: Generation = [:]
    private var old: Generation = [:]

    /// - Parameter limit: how many pictures are remembered; half of it at least, once there are as many.
    init(limit: Int = 8_192) { self.limit = max(2, limit) }

    var count: Int { young.count + old.count }

    mutating func inserted(_ key: ImageCacheKey) {
        young[key.anySize, default: []].insert(key.target)
        guard young.count >= limit / 2 else { return }
        (old, young) = (young, [:])
    }

    mutating func removeAll() { (old, young) = ([:], [:]) }

    /// Why there is nothing under a key, though it may be known what was put there lately.
    func miss(of key: ImageCacheKey) -> CacheMiss {
        let known = targets(of: key.anySize)
        if known.contains(key.target) { return .evicted }
        if !known.isEmpty { return .otherSize }
        let isKnownPlain = !key.processors.isEmpty && !targets(of: ImageCacheKey(source: key.source)).isEmpty
        return isKnownPlain ? .otherProcessors : .absent
    }

    private func targets(of group: ImageCacheKey) -> Set<ImageTarget?> {
        (young[group] ?? []).union(old[group] ?? [])
    }

    /// The keys under which what is wanted at this key may be found larger, smallest first; the stored size last.
    func candidates(for key: ImageCacheKey) -> [ImageCacheKey] {
        guard let target = key.target else { return [] }
        return targets(of: key.anySize).filter { Self.mayServe($0, target) }
            .sorted { ($0?.size.area ?? .max) < ($1?.size.area ?? .max) }
            .map { ImageCacheKey(source: key.source, target: $0, processors: key.processors) }
    }

    /// Whether a picture made for `other` shows what one for `target` would, in no less quality. That it is large enough is for its
    /// size to tell.
    private static func mayServe(_ other: ImageTarget?, _ target: ImageTarget) -> Bool {
        guard let other else { return target.mode == .fit }
        guard other != target, other.mode == target.mode else { return false }
        guard other.preference == target.preference || other.preference == .quality else { return false }
        if target.mode == .fit { return true }
        return other.size.width * target.size.height == other.size.height * target.size.width
    }
}

extension ImageCacheKey {
    fileprivate var anySize: ImageCacheKey { ImageCacheKey(source: source, processors: processors) }
}

extension DecodedImage {
    /// True when the picture has at least the pixels that decoding to the target would give.
    func covers(_ target: ImageTarget) -> Bool {
        let needed = DecodingRequest(target: target).outputSize(for: header.size)
        return bitmap.size.width >= needed.width && bitmap.size.height >= needed.height
    }
}
