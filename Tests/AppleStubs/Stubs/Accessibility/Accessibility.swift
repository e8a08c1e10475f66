public import Foundation

public struct AccessibilitySettings {
    /// Read-only, and without an actor there.
    @MainActor public static var animatedImagesEnabled = true
    public static var animatedImagesEnabledDidChangeNotification: Notification.Name {
        Notification.Name("animated images")
    }
}
