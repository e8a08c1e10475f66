#if GTK
internal import CLibGTK

/// The page for an image that failed to load: the reason, and a button to try again.
final class FailurePage {
    let widget = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL, spacing: 6)
    let text = GtkWidgetRef.label("")
    let button = GtkWidgetRef.button("Try again")

    init() {
        widget.setAlignment(horizontal: GTK_ALIGN_CENTER, vertical: GTK_ALIGN_CENTER)
        widget.addStyle("image-failure")
        text.setLines(2)
        unsafe gtk_label_set_justify(text.opaque, GTK_JUSTIFY_CENTER)
        button.setAccessibleLabel("Try to load the image again")
        for child in [.icon("image-missing-symbolic"), text, button] { widget.append(child) }
    }
}
#endif
