import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An LRU cache of transforms.
///
/// Creating a transform can take longer than decoding a thumbnail, and images from the same camera or site often have
/// the same profile.
final class ColorTransformCache: Sendable {
    /// The input from which a transform is created.
    enum Source: Hashable, Sendable {
        case profile(Data, PixelLayout)
        case calibration(ColorCalibration)
    }

    fileprivate struct Entry {
        let source: Source
        /// Nil if the source is ignored.
        let transform: ColorTransform?
    }

    static let maximumEntryCount = 8
    /// The maximum size of a profile in bytes. Transforms of larger profiles are not cached.
    static let maximumProfileByteCount = 1 << 20

    /// The entries. The most recently used one is last.
    private let entries = Mutex<[Entry]>([])

    /// Returns the cached transform for `source`, or creates one with `make`. Concurrent callers may each create one.
    func transform(for source: Source, make: () -> ColorTransform?) -> ColorTransform? {
        if let found = entries.withLock({ $0.use(source) }) { return found.transform }
        let entry = Entry(source: source, transform: make())
        if source.isCacheable { entries.withLock { $0.insert(entry) } }
        return entry.transform
    }
}

extension ColorTransformCache.Source {
    fileprivate var isCacheable: Bool {
        switch self {
        case .profile(let data, _): data.count <= ColorTransformCache.maximumProfileByteCount
        case .calibration: true
        }
    }
}

extension [ColorTransformCache.Entry] {
    /// Returns the entry of `source` and marks it as most recently used.
    fileprivate mutating func use(_ source: ColorTransformCache.Source) -> ColorTransformCache.Entry? {
        guard let index = firstIndex(where: { $0.source == source }) else { return nil }
        let entry = remove(at: index)
        append(entry)
        return entry
    }

    fileprivate mutating func insert(_ entry: ColorTransformCache.Entry) {
        removeAll { $0.source == entry.source }
        append(entry)
        if count > ColorTransformCache.maximumEntryCount { removeFirst() }
    }
}
