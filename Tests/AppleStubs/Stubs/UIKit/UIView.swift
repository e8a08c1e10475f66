public import CoreGraphics
public import Foundation
public import QuartzCore

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

    /// https://developer.apple.com/documentation/uikit/uiview/bounds
    open var bounds: CGRect {
        didSet { setNeedsLayout() }
    }
    /// https://developer.apple.com/documentation/uikit/uiview/contentmode-swift.property
    open var contentMode = ContentMode.scaleToFill
    /// https://developer.apple.com/documentation/uikit/uiview/layer
    public let layer = CALayer()
    /// Read-only in UIKit. https://developer.apple.com/documentation/uikit/uitraitenvironment/traitcollection
    open var traitCollection = UITraitCollection(displayScale: 1)
    /// https://developer.apple.com/documentation/objectivec/nsobject-swift.class/accessibilitylabel
    open var accessibilityLabel: String?
    /// https://developer.apple.com/documentation/objectivec/nsobject-swift.class/isaccessibilityelement
    open var isAccessibilityElement = false
    /// https://developer.apple.com/documentation/uikit/uiview/accessibilityignoresinvertcolors
    open var accessibilityIgnoresInvertColors = false
    private var needsLayout = true

    /// https://developer.apple.com/documentation/uikit/uiview/contentmode-swift.enum
    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill
    }

    /// https://developer.apple.com/documentation/uikit/uiview/init(frame:)
    public init(frame: CGRect) { bounds = CGRect(origin: .zero, size: frame.size) }

    /// https://developer.apple.com/documentation/uikit/uiview/init(coder:)
    public required init?(coder: NSCoder) { nil }

    /// https://developer.apple.com/documentation/uikit/uiview/didmovetowindow()
    open func didMoveToWindow() {}

    /// https://developer.apple.com/documentation/uikit/uiview/layoutsubviews()
    open func layoutSubviews() {}

    /// https://developer.apple.com/documentation/uikit/uiview/setneedslayout()
    open func setNeedsLayout() { needsLayout = true }

    /// https://developer.apple.com/documentation/uikit/uiview/layoutifneeded()
    open func layoutIfNeeded() {
        if needsLayout {
            needsLayout = false
            layoutSubviews()
        }
        for view in subviews { view.layoutIfNeeded() }
    }

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
        /// https://developer.apple.com/documentation/uikit/uiview/animationoptions/allowuserinteraction
        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
    }

    /// The requested animations, in order. They finish immediately. Not part of UIKit.
    public static var animations: [String] = []

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

/// https://developer.apple.com/documentation/uikit/uitraitcollection
public final class UITraitCollection: Sendable {
    /// https://developer.apple.com/documentation/uikit/uitraitcollection/displayscale
    public let displayScale: CGFloat

    /// https://developer.apple.com/documentation/uikit/uitraitcollection/init(displayscale:)
    public init(displayScale scale: CGFloat) { displayScale = scale }
}
