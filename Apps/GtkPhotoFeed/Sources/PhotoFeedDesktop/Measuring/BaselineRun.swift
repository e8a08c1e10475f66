internal import CGtk
internal import GtkImageUI
internal import ImageCore

/// Measures GTK alone: the same scroll through cells with the same widgets, whose content never changes. Binding them
/// runs no code of the app.
final class BaselineRun {
    private let window = Widget.window()
    private let meter = FrameMeter()
    private let list: CellList<StaticCell>
    private let step: Double

    /// - Parameters:
    ///   - photoCount: The number of cells.
    ///   - step: The distance per frame, in points.
    init(photoCount: Int, step: Double = 40) {
        self.step = step
        let loading = FeedLoading(cacheDirectory: Fixture.temporaryFolder())
        let animations = CellAnimations(on: window) { _ in nil }
        let image = Self.image(side: PhotoLayout.grid.side * window.scaleFactor)
        list = CellList(PhotoLayout.grid.cells) {
            StaticCell(PhotoCell(.grid, loading: loading, animations: animations) { _ in nil }, image)
        }
        list.count = photoCount
    }

    private static func image(side: Int) -> Bitmap {
        let pixels = (0..<side * side).flatMap { (index: Int) -> [UInt8] in
            [UInt8(index % 251), UInt8(index / side % 251), 90, 255]
        }
        return Bitmap(size: PixelSize(width: side, height: side), pixels: pixels, isOpaque: true).packed()
    }

    /// Scrolls down and back. Returns the frames.
    func run() -> [FrameSample] {
        unsafe gtk_window_set_default_size(window.cast(to: GtkWindow.self), 940, 760)
        unsafe gtk_window_set_child(window.cast(to: GtkWindow.self), list.widget.pointer)
        unsafe gtk_window_present(window.cast(to: GtkWindow.self))
        meter.follow(window)
        defer { unsafe gtk_window_destroy(window.cast(to: GtkWindow.self)) }
        _ = GtkMainLoop.run(upTo: 60) { !list.onScreen.isEmpty && list.largestOffset > 0 }
        var frames: [FrameSample] = []
        meter.onFrame = { frames.append($0) }
        for isDown in [true, false] { scroll(isDown) }
        meter.onFrame = { _ in }
        return frames
    }

    private func scroll(_ isDown: Bool) {
        let ticker = FrameTicker(window, isMetered: false) { [list, step] _ in
            list.offset = isDown ? min(list.offset + step, list.largestOffset) : max(0, list.offset - step)
        }
        ticker.start()
        defer { ticker.stop() }
        _ = GtkMainLoop.run(upTo: 300) { isDown ? list.offset >= list.largestOffset : list.offset == 0 }
    }
}

/// A cell that always shows the same image and caption.
private final class StaticCell: RecycledCell {
    private let cell: PhotoCell
    private let image: Bitmap
    private var isShown = false

    var widget: Widget { cell.widget }

    init(_ cell: PhotoCell, _ image: Bitmap) { (self.cell, self.image) = (cell, image) }

    /// Shows the image when the cell is first bound, because the renderer is only known when the cell is in a window.
    func bind(to position: Int) {
        guard !isShown else { return }
        isShown = true
        cell.image.view.show(Texture(image))
        cell.caption.inscribedText = "The same caption"
    }

    func unbind() {}
    func setOnScreen(_ isOnScreen: Bool) {}
}
