// The API that ImagePresentingUIKit needs.
@_exported public import CoreGraphics

open class CALayer {
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
