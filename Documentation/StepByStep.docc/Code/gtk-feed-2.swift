import ImageLoaderKit
import ImagePresentingGTK

/// A photo, as the feed describes it.
struct Photo: Decodable {
    let title: String
    let thumbnailUrl: URL
}

func photos(at feed: URL, with loader: ImageLoader) async throws -> [Photo] {
    let request = ImageRequest(url: feed, mode: .revalidate)
    return try JSONDecoder().decode(
        [Photo].self, from: try await loader.data(for: request).data)
}

guard gtk_init_check() != 0 else {
    fatalError("no display: set DISPLAY, or run under xvfb-run")
}
GtkMainLoop.attach()
let loader = ImageLoader()

let window = unsafe GtkWidgetRef(gtk_window_new())
unsafe gtk_window_set_default_size(window.cast(to: GtkWindow.self), 700, 700)
let animations = WindowClock(window)  // runs tasks after each frame, too

Task {
    do {
        guard let feed = URL(string: "http://127.0.0.1:8080/photos?_limit=500") else {
            return
        }
        print(try await photos(at: feed, with: loader).count, "photos")
    } catch {
        print("no feed: \(error)")
    }
}

var isOpen = true
window.onSignal("unmap") { isOpen = false }  // when it closes
unsafe gtk_window_present(window.cast(to: GtkWindow.self))
while isOpen { GtkMainLoop.step() }
