public import CoreGraphics
public import Foundation
public import QuartzCore

open class UIView: UIResponder {
    open var alpha: CGFloat = 1
    open private(set) weak var window: UIWindow?
    open private(set) weak var superview: UIView?
    open private(set) var subviews: [UIView] = []

    open var bounds: CGRect { didSet { setNeedsLayout() } }
    open var contentMode = ContentMode.scaleToFill
    public let layer = CALayer()
    /// Read-only in UIKit.
    open var traitCollection = UITraitCollection(displayScale: 1)
    open var accessibilityLabel: String?
    open var isAccessibilityElement = false
    open var accessibilityIgnoresInvertColors = false
    private var needsLayout = true

    public enum ContentMode: Int, Sendable { case scaleToFill, scaleAspectFit, scaleAspectFill }

    public init(frame: CGRect) { bounds = CGRect(origin: .zero, size: frame.size) }
    public required init?(coder: NSCoder) { nil }
    open func didMoveToWindow() {}
    open func layoutSubviews() {}
    open func setNeedsLayout() { needsLayout = true }

    open func layoutIfNeeded() {
        if needsLayout {
            needsLayout = false
            layoutSubviews()
        }
        for view in subviews { view.layoutIfNeeded() }
    }

    open func addSubview(_ view: UIView) {
        view.superview = self
        subviews.append(view)
        view.moved(to: window)
    }

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

    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
        public static let allowUserInteraction = AnimationOptions(rawValue: 1 << 1)
    }

    /// The requested animations, in order. They finish immediately. Not part of UIKit.
    public static var animations: [String] = []

    public class func transition(
        with view: UIView, duration: TimeInterval, options: UIView.AnimationOptions = [],
        animations: (() -> Void)?, completion: ((Bool) -> Void)? = nil
    ) {
        Self.animations.append("transition \(duration) \(options.contains(.transitionCrossDissolve))")
        animations?()
        completion?(true)
    }
}

public final class UITraitCollection: Sendable {
    public let displayScale: CGFloat
    public init(displayScale scale: CGFloat) { displayScale = scale }
}
