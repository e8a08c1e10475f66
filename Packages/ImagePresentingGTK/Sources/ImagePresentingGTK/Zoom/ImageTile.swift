#if GTK
internal import CLibGTK
internal import ImageCore

/// A layer over an image, which shows a part of it with more pixels.
///
/// The part is loaded in the background. Until then, the one before it stays.
@safe final class ImageTile {
    /// The layer, which has the shape of the whole image.
    let widget = GtkWidgetRef.image()
    /// The part that is loaded or shown, and its size.
    private(set) var target: ImageTarget?
    /// The part that is shown.
    private(set) var shownPart: PixelArea?
    private let loader: any ImageLoaderProtocol
    private var load: Task<Void, Never>?

    init(loader: any ImageLoaderProtocol) {
        self.loader = loader
        widget.setRole(GTK_ACCESSIBLE_ROLE_PRESENTATION)
        unsafe gtk_picture_set_can_shrink(widget.opaque, 1)
        unsafe gtk_widget_set_can_target(widget.pointer, 0)
    }

    isolated deinit { load?.cancel() }

    /// Shows the part that is the target of a request, and cancels the load of another one. If it can't be loaded, nothing
    /// changes.
    ///
    /// - Parameter image: The size of the whole image.
    func show(_ request: ImageRequest, of image: PixelSize) {
        load?.cancel()
        target = request.target
        load = Task { [weak self, loader, widget] in
            guard let part = request.target?.part, let bitmap = try? await loader.image(for: request).bitmap else {
                return
            }
            let pixels = widget.usesCairoRenderer ? await CairoPixels.converted(bitmap) : nil
            if !Task.isCancelled { self?.draw(bitmap, pixels, at: part, of: image) }
        }
    }

    /// Shows nothing and cancels the load.
    func clear() {
        load?.cancel()
        load = nil
        target = nil
        guard shownPart != nil else { return }
        shownPart = nil
        unsafe gtk_picture_set_paintable(widget.opaque, nil)
    }

    private func draw(_ bitmap: Bitmap, _ pixels: CairoPixels?, at part: PixelArea, of image: PixelSize) {
        shownPart = part
        if let painted = pixels.flatMap({ CairoImage($0, at: part, of: image) }) {
            return unsafe gtk_picture_set_paintable(widget.opaque, painted.pointer)
        }
        let snapshot = unsafe gtk_snapshot_new()
        var (bounds, size) = (graphene_rect_t(part), graphene_rect_t(PixelArea(size: image)).size)
        let texture = Texture(bitmap)
        unsafe gtk_snapshot_append_texture(snapshot, texture.pointer, &bounds)
        let paintable = unsafe gtk_snapshot_free_to_paintable(snapshot, &size)
        unsafe gtk_picture_set_paintable(widget.opaque, paintable)
        if let paintable = unsafe paintable { unsafe g_object_unref(UnsafeMutableRawPointer(paintable)) }
    }
}
#endif
