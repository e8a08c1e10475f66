// The API that ImagePresentingUIKit needs.
@_exported public import CoreGraphics

open class CALayer {
    open var contents: Any?
    open var contentsGravity = CALayerContentsGravity.resize
    open var masksToBounds = false
    @available(tvOS, unavailable)
    open var wantsExtendedDynamicRangeContent = false
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
}

open class CATransition: CAAnimation {}

public struct CALayerContentsGravity: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let resize = CALayerContentsGravity(rawValue: "resize")
    public static let resizeAspect = CALayerContentsGravity(rawValue: "resizeAspect")
    public static let resizeAspectFill = CALayerContentsGravity(rawValue: "resizeAspectFill")
}
