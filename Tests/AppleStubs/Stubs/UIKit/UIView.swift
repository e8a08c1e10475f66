public import CoreGraphics
public import Foundation

/// https://developer.apple.com/documentation/uikit/uiview
open class UIView: UIResponder {
    /// https://developer.apple.com/documentation/uikit/uiview/alpha
    open var alpha: CGFloat = 1
    /// https://developer.apple.com/documentation/uikit/uiview/window
    open private(set) weak var window: UIWindow?
    /// https://developer.apple.com/documentation/uikit/uiview/superview
    open private(set) weak var superview: UIView?
    /// https://developer.apple.com/documentation/uikit/uiview/subviews
    open private(set) var subviews: [UIView] = []

    /// https://developer.apple.com/documentation/uikit/uiview/init(frame:)
    public init(frame: CGRect) {}

    /// https://developer.apple.com/documentation/uikit/uiview/init(coder:)
    public required init?(coder: NSCoder) { nil }

    /// https://developer.apple.com/documentation/uikit/uiview/didmovetowindow()
    open func didMoveToWindow() {}

    /// https://developer.apple.com/documentation/uikit/uiview/addsubview(_:)
    open func addSubview(_ view: UIView) {
        view.superview = self
        subviews.append(view)
        view.moved(to: window)
    }

    /// https://developer.apple.com/documentation/uikit/uiview/removefromsuperview()
    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
        moved(to: nil)
    }

    /// Updates the window of the view and its subviews. Not part of UIKit.
    final func moved(to window: UIWindow?) {
        self.window = window
        didMoveToWindow()
        for view in subviews { view.moved(to: window) }
    }

    /// https://developer.apple.com/documentation/uikit/uiview/animationoptions
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// https://developer.apple.com/documentation/uikit/uiview/animationoptions/transitioncrossdissolve
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
    }

    /// The requested animations, in order. They finish immediately. Not part of UIKit.
    public static var animations: [String] = []

    /// https://developer.apple.com/documentation/uikit/uiview/animate(withduration:animations:)
    public class func animate(withDuration duration: TimeInterval, animations: @escaping () -> Void) {
        Self.animations.append("animate \(duration)")
        animations()
    }

    /// https://developer.apple.com/documentation/uikit/uiview/transition(with:duration:options:animations:completion:)
    public class func transition(
        with view: UIView, duration: TimeInterval, options: UIView.AnimationOptions = [],
        animations: (() -> Void)?, completion: ((Bool) -> Void)? = nil
    ) {
        Self.animations.append("transition \(duration) \(options.contains(.transitionCrossDissolve))")
        animations?()
        completion?(true)
    }
}
