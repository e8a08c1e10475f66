// The API that ImagePresentingUIKit and its tests need.
@_exported public import CoreGraphics
@_exported public import Foundation
@_exported public import QuartzCore
public import Synchronization

/// Not a subclass of NSObject here, because Foundation's NSObject can't be isolated to the main actor.
@MainActor
open class UIResponder {
    public init() {}
}

public final class UIImage: Sendable {
    public let cgImage: CGImage?
    public let scale: CGFloat

    public enum Orientation: Int, Sendable { case up }
    public enum DynamicRange: Int, Sendable { case unspecified = -1, standard, constrainedHigh, high }

    public init(cgImage: CGImage, scale: CGFloat, orientation: UIImage.Orientation) {
        self.cgImage = cgImage
        self.scale = scale
    }
}

open class UIImageView: UIView {
    open var image: UIImage?
    open var preferredImageDynamicRange = UIImage.DynamicRange.unspecified
}

open class UIWindow: UIView {
    public override init(frame: CGRect) {
        super.init(frame: frame)
        moved(to: self)
    }

    public required init?(coder: NSCoder) { nil }
}

open class UICollectionView: UIView {}

open class UITableView: UIView {}

open class UICollectionViewCell: UIView {
    open func prepareForReuse() {}

    public private(set) lazy var contentView: UIView = {
        let view = UIView(frame: .zero)
        addSubview(view)
        return view
    }()
}

@MainActor
public protocol UICollectionViewDataSourcePrefetching: NSObjectProtocol {
    func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
    func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

@MainActor
public protocol UITableViewDataSourcePrefetching: NSObjectProtocol {
    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
    func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

extension IndexPath {
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    public var item: Int { self[1] }
}

public struct UIAccessibility {
    /// Read-only in UIKit.
    @MainActor public static var isReduceMotionEnabled = false
    public static let reduceMotionStatusDidChangeNotification = Notification.Name("reduce motion")
}

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

open class UIApplication: UIResponder {
    public enum State: Int, Sendable { case active, inactive, background }

    /// Read-only in UIKit.
    public var applicationState = State.active
    public nonisolated static let didReceiveMemoryWarningNotification = Notification.Name("memory warning")
    public nonisolated static let didEnterBackgroundNotification = Notification.Name("did enter background")
    public nonisolated static let willEnterForegroundNotification = Notification.Name("will enter foreground")

    /// The handlers of the background tasks that have not ended. Not part of UIKit.
    public nonisolated let backgroundTasks = Mutex<[UIBackgroundTaskIdentifier: (@MainActor @Sendable () -> Void)?]>([:]
    )
    private nonisolated let lastTask = Atomic(0)

    open nonisolated func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        let id = UIBackgroundTaskIdentifier(rawValue: lastTask.wrappingAdd(1, ordering: .relaxed).newValue)
        backgroundTasks.withLock { $0[id] = .some(handler) }
        return id
    }

    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        backgroundTasks.withLock { $0[identifier] = nil }
    }
}
