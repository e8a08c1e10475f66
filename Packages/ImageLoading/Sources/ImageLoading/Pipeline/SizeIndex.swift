import ImageCore

/// The targets of images recently stored in memory, to find larger images for smaller requests and reasons for misses.
///
/// The images may have been evicted since. At a limit, the older half of the index is removed.
struct SizeIndex: Sendable {
    private struct Generation: Sendable {
        private(set) var targets: [ImageCacheKey: Set<ImageTarget?>] = [:]
        /// The size of the keys, estimated.
        private(set) var byteCount = 0

        mutating func insert(_ key: ImageCacheKey) {
            let group = key.anySize
            if targets[group] == nil { byteCount += 200 + group.byteCount }
            if targets[group, default: []].insert(key.target).inserted { byteCount += 64 }
        }
    }

    private let limit: Int
    private let byteLimit: Int
    private var young = Generation()
    private var old = Generation()

    /// - Parameters:
    ///   - limit: The maximum number of images. All sizes of an image count as one.
    ///   - byteLimit: The maximum size of the index in bytes, estimated.
    init(limit: Int = 8_192, byteLimit: Int = 4 << 20) { (self.limit, self.byteLimit) = (max(2, limit), byteLimit) }

    var count: Int { young.targets.count + old.targets.count }
    var byteCount: Int { young.byteCount + old.byteCount }

    mutating func inserted(_ key: ImageCacheKey) {
        young.insert(key)
        guard young.targets.count >= limit / 2 || young.byteCount >= byteLimit / 2 else { return }
        (old, young) = (young, Generation())
    }

    mutating func removeAll() { (old, young) = (Generation(), Generation()) }

    /// Returns the reason for a miss, as far as recent insertions show it.
    func miss(of key: ImageCacheKey) -> CacheMiss {
        let known = targets(of: key.anySize)
        if known.contains(key.target) { return .evicted }
        if !known.isEmpty { return .otherSize }
        let isKnownPlain = !key.processors.isEmpty && !targets(of: ImageCacheKey(source: key.source)).isEmpty
        return isKnownPlain ? .otherProcessors : .absent
    }

    private func targets(of group: ImageCacheKey) -> Set<ImageTarget?> {
        (young.targets[group] ?? []).union(old.targets[group] ?? [])
    }

    /// Returns the keys of larger images, smallest first, and the stored size last.
    func candidates(for key: ImageCacheKey) -> [ImageCacheKey] {
        guard let target = key.target else { return [] }
        return targets(of: key.anySize).filter { Self.mayServe($0, target) }
            .sorted { ($0?.size.area ?? .max) < ($1?.size.area ?? .max) }
            .map { ImageCacheKey(source: key.source, target: $0, processors: key.processors) }
    }

    /// Returns whether an image for `other` shows the same as one for `target`, in the same or better quality.
    private static func mayServe(_ other: ImageTarget?, _ target: ImageTarget) -> Bool {
        guard let other else { return target.mode == .fit }
        guard other != target, other.mode == target.mode else { return false }
        guard other.preference == target.preference || other.preference == .quality else { return false }
        if target.mode == .fit { return true }
        return other.size.width.multipliedFullWidth(by: target.size.height)
            == other.size.height.multipliedFullWidth(by: target.size.width)
    }
}

extension ImageCacheKey {
    fileprivate var anySize: ImageCacheKey { ImageCacheKey(source: source, processors: processors) }
}

extension DecodedImage {
    /// Returns whether the image is at least as large as one decoded to the target.
    func covers(_ target: ImageTarget) -> Bool {
        let needed = DecodingRequest(target: target).outputSize(for: header.size)
        return bitmap.size.width >= needed.width && bitmap.size.height >= needed.height
    }
}
