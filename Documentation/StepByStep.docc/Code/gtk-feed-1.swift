import ImagePresentingGTK

// GTK has one thread, and the main actor uses the same one.
guard gtk_init_check() != 0 else {
    fatalError("no display: set DISPLAY, or run under xvfb-run")
}
GtkMainLoop.attach()

let window = unsafe GtkWidgetRef(gtk_window_new())
unsafe gtk_window_set_default_size(window.cast(to: GtkWindow.self), 700, 700)
let animations = WindowClock(window)  // runs tasks after each frame, too

var isOpen = true
window.onSignal("unmap") { isOpen = false }  // when it closes
unsafe gtk_window_present(window.cast(to: GtkWindow.self))
while isOpen { GtkMainLoop.step() }
