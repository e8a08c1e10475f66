import ImageLoaderKit
import ImagePresentingGTK

// Shows the images at the addresses in the arguments side by side.
guard gtk_init_check() != 0 else {
    // Without a display there is nothing to show.
    fatalError("no display: set DISPLAY, or run under xvfb-run")
}
GtkMainLoop.attach()

let loader = try ImageLoader()
let window = Widget.window()
let animations = WindowClock(window)
let row = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 12)

let cells = CommandLine.arguments.dropFirst()
    .compactMap { URL(webAddress: $0) }
    .map { url in
        let cell = LoadingImageView(
            loader: loader, width: 240, height: 240,
            clock: animations.clock)
        cell.load(url, description: url.lastPathComponent)
        row.append(cell.widget)
        return cell
    }

var isOpen = true
window.onSignal("unmap") { isOpen = false }  // when it closes
unsafe gtk_window_set_child(window.cast(to: GtkWindow.self), row.pointer)
unsafe gtk_window_present(window.cast(to: GtkWindow.self))
while isOpen { GtkMainLoop.step() }
withExtendedLifetime(cells) {}
