import ImageLoaderKit
import ImagePresentingGTK

// Shows the images at the addresses in the arguments side by side.
guard gtk_init_check() != 0 else {
    // Without a display there is nothing to show.
    fatalError("no display: set DISPLAY, or run under xvfb-run")
}
GtkMainLoop.attach()

let loader = ImageLoader()
let window = unsafe GtkWidgetRef(gtk_window_new())
let animations = WindowClock(window)
let row = unsafe GtkWidgetRef(
    gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12))

let cells = CommandLine.arguments.dropFirst()
    .compactMap { URL(webAddress: $0) }
    .map { url in
        let cell = LoadingImageView(
            loader: loader, width: 240, height: 240,
            clock: animations.clock)
        cell.load(url, description: url.lastPathComponent)
        unsafe gtk_box_append(
            row.cast(to: GtkBox.self), cell.widget.pointer)
        return cell
    }

var isOpen = true
window.onSignal("unmap") { isOpen = false }  // when it closes
unsafe gtk_window_set_child(window.cast(to: GtkWindow.self), row.pointer)
unsafe gtk_window_present(window.cast(to: GtkWindow.self))
while isOpen { GtkMainLoop.step() }
withExtendedLifetime(cells) {}
