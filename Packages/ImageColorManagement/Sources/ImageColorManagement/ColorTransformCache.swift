import ImageCore
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The transforms that were created last, up to eight of them.
///
/// Creating a transform can take longer than decoding a thumbnail, and images from the same camera or site often have
/// the same profile.
final class ColorTransformCache: Sendable {
    /// The input from which a transform is created.
    enum Source: Hashable, Sendable {
        case profile(Data, PixelLayout)
        case calibration(ColorCalibration)
    }

    /// A transform is nil if its source is ignored.
    private let transforms = Mutex<[Source: ColorTransform?]>([:])

    /// Returns the cached transform for `source`, or creates one with `make`. Concurrent callers may each create one.
    /// Transforms of profiles above 1 MiB are not cached.
    func transform(for source: Source, make: () -> ColorTransform?) -> ColorTransform? {
        if case .profile(let data, _) = source, data.count > 1 << 20 { return make() }
        if let found = transforms.withLock({ $0[source] }) { return found }
        let transform = make()
        transforms.withLock {
            if $0.count == 8 { $0.removeAll() }
            $0.updateValue(transform, forKey: source)
        }
        return transform
    }
}
