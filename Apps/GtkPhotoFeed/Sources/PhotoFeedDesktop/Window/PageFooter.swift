internal import ImagePresentingGTK
internal import PhotoFeedModel

/// The footer of the list, which is shown if the next page has failed. It has a button to try again.
final class PageFooter {
    let widget = GtkWidgetRef.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12)
    var onRetry: () -> Void = {}
    private let text = GtkWidgetRef.label("")
    private let button = GtkWidgetRef.button("Try again")

    init() {
        widget.addStyle("page-footer")
        widget.setAlignment(horizontal: GTK_ALIGN_CENTER, vertical: GTK_ALIGN_END)
        widget.append(text)
        widget.append(button)
        widget.isVisible = false
        button.onSignal("clicked") { [weak self] in self?.onRetry() }
    }

    var offersRetry: Bool { widget.isVisible && button.isVisible }

    func show(_ state: PhotoFeedModel.PaginationState) {
        if case .error = state {
            text.text = "More photos could not be loaded."
            widget.isVisible = true
        } else {
            widget.isVisible = false
        }
    }
}
