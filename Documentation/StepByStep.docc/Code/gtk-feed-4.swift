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

/// A cell that shows one photo at a time.
final class PhotoCell: RecycledCell {
    private let photos: [Photo]
    private let image: LoadingImageView
    var widget: GtkWidgetRef { image.widget }

    init(_ photos: [Photo], loader: ImageLoader, clock: AnimationClock) {
        self.photos = photos
        image = LoadingImageView(loader: loader, width: 160, height: 160, clock: clock)
    }

    func bind(to position: Int) {
        let photo = photos[position]
        image.load(photo.thumbnailUrl, description: photo.title)
    }

    func unbind() { image.cancelLoading() }

    func setOnScreen(_ isOnScreen: Bool) { image.setOnScreen(isOnScreen) }
}

guard gtk_init_check() != 0 else {
    fatalError("no display: set DISPLAY, or run under xvfb-run")
}
GtkMainLoop.attach()
let loader = ImageLoader()

let window = unsafe GtkWidgetRef(gtk_window_new())
unsafe gtk_window_set_default_size(window.cast(to: GtkWindow.self), 700, 700)
let animations = WindowClock(window)  // runs tasks after each frame, too
var list: CellList<PhotoCell>?

func show(_ photos: [Photo]) {
    let grid = CellList(.grid(columns: 2...8)) {
        PhotoCell(photos, loader: loader, clock: animations.clock)
    }
    grid.count = photos.count
    grid.prefetch = prefetch(photos)
    unsafe gtk_window_set_child(window.cast(to: GtkWindow.self), grid.widget.pointer)
    list = grid
}

/// Loads photos in the size of the cells.
func prefetch(_ photos: [Photo]) -> PrefetchController {
    let pixels = 160 * Int(unsafe gtk_widget_get_scale_factor(window.pointer))
    let size = PixelSize(width: pixels, height: pixels)
    return PrefetchController(prefetcher: ImagePrefetcher(loader: loader)) { position in
        ImageRequest(url: photos[position].thumbnailUrl, target: .fill(size))
    }
}

Task {
    do {
        guard let feed = URL(string: "http://127.0.0.1:8080/photos?_limit=500") else {
            return
        }
        show(try await photos(at: feed, with: loader))
    } catch {
        print("no feed: \(error)")
    }
}

var isOpen = true
window.onSignal("unmap") { isOpen = false }  // when it closes
unsafe gtk_window_present(window.cast(to: GtkWindow.self))
while isOpen { GtkMainLoop.step() }
