// Stub declarations of the API that ImagePresentingUIKit and its tests need. Each has a link to its page in Apple's
// reference, or a note that it is not part of UIKit.
@_exported public import CoreGraphics
@_exported public import Foundation
@_exported public import QuartzCore
public import Synchronization

/// Not a subclass of NSObject here, because Foundation's NSObject can't be isolated to the main actor.
/// https://developer.apple.com/documentation/uikit/uiresponder
@MainActor
open class UIResponder {
    public init() {}
}

/// https://developer.apple.com/documentation/uikit/uiimage
public final class UIImage: Sendable {
    /// https://developer.apple.com/documentation/uikit/uiimage/cgimage
    public let cgImage: CGImage?

    /// https://developer.apple.com/documentation/uikit/uiimage/scale
    public let scale: CGFloat

    /// https://developer.apple.com/documentation/uikit/uiimage/orientation
    public enum Orientation: Int, Sendable {
        case up
    }

    /// https://developer.apple.com/documentation/uikit/uiimage/init(cgimage:scale:orientation:)
    public init(cgImage: CGImage, scale: CGFloat, orientation: UIImage.Orientation) {
        self.cgImage = cgImage
        self.scale = scale
    }
}

/// https://developer.apple.com/documentation/uikit/uiimageview
open class UIImageView: UIView {
    /// https://developer.apple.com/documentation/uikit/uiimageview/image
    open var image: UIImage?
}

/// https://developer.apple.com/documentation/uikit/uiwindow
open class UIWindow: UIView {
    public override init(frame: CGRect) {
        super.init(frame: frame)
        moved(to: self)
    }

    public required init?(coder: NSCoder) { nil }
}

/// https://developer.apple.com/documentation/uikit/uicollectionview
open class UICollectionView: UIView {}

/// https://developer.apple.com/documentation/uikit/uitableview
open class UITableView: UIView {}

/// https://developer.apple.com/documentation/uikit/uicollectionreusableview
open class UICollectionReusableView: UIView {
    /// https://developer.apple.com/documentation/uikit/uicollectionreusableview/prepareforreuse()
    open func prepareForReuse() {}
}

/// https://developer.apple.com/documentation/uikit/uicollectionviewcell
open class UICollectionViewCell: UICollectionReusableView {
    /// https://developer.apple.com/documentation/uikit/uicollectionviewcell/contentview
    public let contentView = UIView(frame: .zero)

    public override init(frame: CGRect) {
        super.init(frame: frame)
        addSubview(contentView)
    }

    public required init?(coder: NSCoder) { nil }
}

/// https://developer.apple.com/documentation/uikit/uicollectionviewdatasourceprefetching
@MainActor
public protocol UICollectionViewDataSourcePrefetching: NSObjectProtocol {
    /// https://developer.apple.com/documentation/uikit/uicollectionviewdatasourceprefetching/collectionview(_:prefetchitemsat:)
    func collectionView(_ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])

    /// Optional in UIKit.
    /// https://developer.apple.com/documentation/uikit/uicollectionviewdatasourceprefetching/collectionview(_:cancelprefetchingforitemsat:)
    func collectionView(_ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

/// https://developer.apple.com/documentation/uikit/uitableviewdatasourceprefetching
@MainActor
public protocol UITableViewDataSourcePrefetching: NSObjectProtocol {
    /// https://developer.apple.com/documentation/uikit/uitableviewdatasourceprefetching/tableview(_:prefetchrowsat:)
    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])

    /// Optional in UIKit.
    /// https://developer.apple.com/documentation/uikit/uitableviewdatasourceprefetching/tableview(_:cancelprefetchingforrowsat:)
    func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

extension IndexPath {
    /// https://developer.apple.com/documentation/foundation/indexpath/init(item:section:)
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// https://developer.apple.com/documentation/foundation/indexpath/item
    public var item: Int { self[1] }
}

/// https://developer.apple.com/documentation/uikit/uiaccessibility
public struct UIAccessibility {
    /// Read-only in UIKit. https://developer.apple.com/documentation/uikit/uiaccessibility/isreducemotionenabled
    @MainActor public static var isReduceMotionEnabled = false
    /// https://developer.apple.com/documentation/uikit/uiaccessibility/reducemotionstatusdidchangenotification
    public static let reduceMotionStatusDidChangeNotification = Notification.Name("reduce motion")
}

/// https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// https://developer.apple.com/documentation/uikit/uibackgroundtaskidentifier/invalid
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

/// https://developer.apple.com/documentation/uikit/uiapplication
@MainActor
open class UIApplication: UIResponder {
    /// https://developer.apple.com/documentation/uikit/uiapplication/state
    public enum State: Int, Sendable {
        case active, inactive, background
    }

    /// Read-only in UIKit. https://developer.apple.com/documentation/uikit/uiapplication/applicationstate
    public var applicationState = State.active
    /// https://developer.apple.com/documentation/uikit/uiapplication/didreceivememorywarningnotification
    public nonisolated static let didReceiveMemoryWarningNotification = Notification.Name("memory warning")
    /// https://developer.apple.com/documentation/uikit/uiapplication/didenterbackgroundnotification
    public nonisolated static let didEnterBackgroundNotification = Notification.Name("did enter background")
    /// https://developer.apple.com/documentation/uikit/uiapplication/willenterforegroundnotification
    public nonisolated static let willEnterForegroundNotification = Notification.Name("will enter foreground")

    /// The handlers of the background tasks that have not ended. Not part of UIKit.
    public nonisolated let backgroundTasks = Mutex<[UIBackgroundTaskIdentifier: (@MainActor @Sendable () -> Void)?]>([:]
    )
    private nonisolated let lastTask = Atomic(0)

    /// https://developer.apple.com/documentation/uikit/uiapplication/beginbackgroundtask(withname:expirationhandler:)
    open nonisolated func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        let id = UIBackgroundTaskIdentifier(rawValue: lastTask.wrappingAdd(1, ordering: .relaxed).newValue)
        backgroundTasks.withLock { $0[id] = .some(handler) }
        return id
    }

    /// https://developer.apple.com/documentation/uikit/uiapplication/endbackgroundtask(_:)
    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        backgroundTasks.withLock { $0[identifier] = nil }
    }
}
