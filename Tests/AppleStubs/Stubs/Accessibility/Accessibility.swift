public import Foundation

/// https://developer.apple.com/documentation/accessibility/accessibilitysettings
@available(iOS 14, macOS 11, tvOS 14, watchOS 7, *)
public struct AccessibilitySettings {
    /// Read-only, and without an actor there. https://developer.apple.com/documentation/accessibility/accessibilitysettings/animatedimagesenabled
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @MainActor public static var animatedImagesEnabled = true
    /// https://developer.apple.com/documentation/accessibility/accessibilitysettings/animatedimagesenableddidchangenotification
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    public static var animatedImagesEnabledDidChangeNotification: Notification.Name {
        Notification.Name("animated images")
    }
}
