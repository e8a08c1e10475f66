// The API that ImagePresentingUIKit needs.
@_exported public import CoreGraphics

open class CALayer {
    /// https://developer.apple.com/documentation/quartzcore/calayer/contents
    open var contents: Any?
    /// https://developer.apple.com/documentation/quartzcore/calayer/contentsgravity
    open var contentsGravity = CALayerContentsGravity.resize
    /// https://developer.apple.com/documentation/quartzcore/calayer/maskstobounds
    open var masksToBounds = false

    public init() {}

    /// The animations that were added, in order. Not part of Core Animation.
    public private(set) var added: [CAAnimation] = []

    open func add(_ anim: CAAnimation, forKey key: String?) { added.append(anim) }
}

open class CAAnimation {
    open var duration: TimeInterval = 0

    public init() {}
}

open class CABasicAnimation: CAAnimation, @unchecked Sendable {
    open var keyPath: String?
    open var fromValue: Any?
    open var toValue: Any?

    public convenience init(keyPath path: String?) {
        self.init()
        keyPath = path
    }

    public override init() {}
}

/// https://developer.apple.com/documentation/quartzcore/catransition
open class CATransition: CAAnimation {}

/// https://developer.apple.com/documentation/quartzcore/calayercontentsgravity
public struct CALayerContentsGravity: Hashable, RawRepresentable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// https://developer.apple.com/documentation/quartzcore/calayercontentsgravity/resize
    public static let resize = CALayerContentsGravity(rawValue: "resize")
    /// https://developer.apple.com/documentation/quartzcore/calayercontentsgravity/resizeaspect
    public static let resizeAspect = CALayerContentsGravity(rawValue: "resizeAspect")
    /// https://developer.apple.com/documentation/quartzcore/calayercontentsgravity/resizeaspectfill
    public static let resizeAspectFill = CALayerContentsGravity(rawValue: "resizeAspectFill")
}
