import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps the transforms that were used last: making one takes longer than decoding many a thumbnail, and the images of
/// one camera or one site share their profile.
final class ColorTransformCache: Sendable {
    /// What a transform is made of.
    enum Source: Hashable, Sendable {
        case profile(Data, PixelLayout)
        case calibration(ColorCalibration)
    }

    fileprivate struct Entry {
        let source: Source
        /// Nil when the source is to be ignored.
        let transform: ColorTransform?
    }

    static let mostEntries = 8
    /// Of a profile; a longer one is not kept.
    static let mostProfileBytes = 1 << 20

    /// The one used last is at the end.
    private let entries = Mutex<[Entry]>([])

    /// The transform for `source`, by `make` unless it is at hand. Of callers at the same time each may make its own.
    func transform(for source: Source, make: () -> ColorTransform?) -> ColorTransform? {
        if let found = entries.withLock({ $0.use(source) }) { return found.transform }
        let entry = Entry(source: source, transform: make())
        if source.isKept { entries.withLock { $0.keep(entry) } }
        return entry.transform
    }
}

extension ColorTransformCache.Source {
    fileprivate var isKept: Bool {
        switch self {
        case .profile(let data, _): data.count <= ColorTransformCache.mostProfileBytes
        case .calibration: true
        }
    }
}

extension [ColorTransformCache.Entry] {
    /// The entry of `source`, which becomes the one used last.
    fileprivate mutating func use(_ source: ColorTransformCache.Source) -> ColorTransformCache.Entry? {
        guard let index = firstIndex(where: { $0.source == source }) else { return nil }
        let entry = remove(at: index)
        append(entry)
        return entry
    }

    fileprivate mutating func keep(_ entry: ColorTransformCache.Entry) {
        removeAll { $0.source == entry.source }
        append(entry)
        if count > ColorTransformCache.mostEntries { removeFirst() }
    }
}
