// The API that ImagePresentingAppKit and its tests need.
@_exported public import CoreGraphics
@_exported public import Foundation
@_exported public import QuartzCore

@MainActor
open class NSResponder {
    public init() {}
}

open class NSView: NSResponder {
    public private(set) weak var window: NSWindow?
    open var bounds: CGRect { didSet { needsLayout = true } }
    open var wantsLayer = false {
        didSet { if wantsLayer { layer = layer ?? CALayer() } }
    }
    open var layer: CALayer?
    open var needsLayout = true
    /// What accessibility was told. Not part of AppKit.
    public private(set) var accessibility = (isElement: false, role: NSAccessibility.Role?.none, label: String?.none)
    public init(frame frameRect: CGRect) { bounds = CGRect(origin: .zero, size: frameRect.size) }
    public required init?(coder: NSCoder) { bounds = .zero }
    open func layout() {}
    open func viewDidMoveToWindow() {}
    open func viewDidChangeBackingProperties() {}
    open func setAccessibilityElement(_ accessibilityElement: Bool) { accessibility.isElement = accessibilityElement }

    open func setAccessibilityRole(_ accessibilityRole: NSAccessibility.Role?) {
        accessibility.role = accessibilityRole
    }

    open func setAccessibilityLabel(_ accessibilityLabel: String?) { accessibility.label = accessibilityLabel }

    open func layoutSubtreeIfNeeded() {
        if needsLayout {
            needsLayout = false
            layout()
        }
    }

    /// Not part of AppKit, where views are added to others.
    public func move(to window: NSWindow?) {
        self.window = window
        viewDidMoveToWindow()
    }
}

open class NSWindow: NSResponder {
    /// Read-only in AppKit.
    open var backingScaleFactor: CGFloat = 1
}

public struct NSAccessibility {
    public struct Role: Hashable, RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let image = Role(rawValue: "AXImage")
    }
}

public final class NSImage {
    public let size: CGSize

    public init(cgImage: CGImage, size: CGSize) {
        self.size = size == .zero ? CGSize(width: cgImage.width, height: cgImage.height) : size
    }
}

open class NSApplication: NSResponder {
    public struct OcclusionState: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let visible = OcclusionState(rawValue: 1 << 1)
    }

    public static let shared = NSApplication()
    public nonisolated static let didChangeOcclusionStateNotification = Notification.Name("app occlusion")
    /// Read-only in AppKit.
    public var occlusionState: OcclusionState = .visible
}

@MainActor
open class NSWorkspace {
    public static let shared = NSWorkspace()
    public nonisolated static let accessibilityDisplayOptionsDidChangeNotification = Notification.Name(
        "display options")
    public let notificationCenter = NotificationCenter()
    /// Read-only in AppKit.
    public var accessibilityDisplayShouldReduceMotion = false
}

open class NSViewController: NSResponder {
    open var view = NSView(frame: .zero)
    open func loadView() {}
}

open class NSCollectionViewItem: NSViewController {
    open func prepareForReuse() {}
}
