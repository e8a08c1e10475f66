public import Foundation

@available(iOS 14, macOS 11, tvOS 14, watchOS 7, visionOS 1, *)
public struct AccessibilitySettings {
    /// Read-only, and without an actor there.
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    @MainActor public static var animatedImagesEnabled = true
    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    public static var animatedImagesEnabledDidChangeNotification: Notification.Name {
        Notification.Name("animated images")
    }
}
