// Stub declarations of the API that ImagePresentingUIKit needs. Each has a link to its page in Apple's reference.
@_exported public import CoreGraphics

/// https://developer.apple.com/documentation/quartzcore/calayer
open class CALayer {
    public init() {}

    /// The animations that were added, in order. Not part of Core Animation.
    public private(set) var added: [CAAnimation] = []

    /// https://developer.apple.com/documentation/quartzcore/calayer/add(_:forkey:)
    open func add(_ anim: CAAnimation, forKey key: String?) { added.append(anim) }
}

/// https://developer.apple.com/documentation/quartzcore/caanimation
open class CAAnimation {
    /// https://developer.apple.com/documentation/quartzcore/camediatiming/duration
    open var duration: TimeInterval = 0

    public init() {}
}

/// https://developer.apple.com/documentation/quartzcore/cabasicanimation
open class CABasicAnimation: CAAnimation, @unchecked Sendable {
    /// https://developer.apple.com/documentation/quartzcore/capropertyanimation/keypath
    open var keyPath: String?
    /// https://developer.apple.com/documentation/quartzcore/cabasicanimation/fromvalue
    open var fromValue: Any?
    /// https://developer.apple.com/documentation/quartzcore/cabasicanimation/tovalue
    open var toValue: Any?

    /// https://developer.apple.com/documentation/quartzcore/capropertyanimation/init(keypath:)
    public convenience init(keyPath path: String?) {
        self.init()
        keyPath = path
    }

    public override init() {}
}
