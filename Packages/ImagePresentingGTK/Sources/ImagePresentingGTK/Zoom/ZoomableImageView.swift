#if GTK
internal import CLibGTK
public import ImageCore
public import ImagePresenting

/// A view that shows an image as large as possible, and zooms and pans until each pixel can be seen.
///
/// The image is first decoded to the size of the view. If the user zooms in, it is decoded to more pixels in the
/// background, while the present pixels are shown larger. Where even these are too few, the visible part is decoded with
/// all its pixels. These larger bitmaps don't enter the memory cache.
///
/// The wheel, a pinch, and scrolling while Control is pressed zoom at the pointer. Dragging and two fingers pan.
/// Connect keys to `zoom(by:)`, `zoomToFit()`, `zoomToPixels()` and `pan(horizontally:vertically:)`.
public final class ZoomableImageView {
    /// The widget of the view. It can have the keyboard's focus.
    public let widget = GtkWidgetRef.scrolled()
    /// Called whenever the appearance or the zoom changes.
    public var onChange: () -> Void = {}

    let cell: LoadingImageView
    let tile: ImageTile
    private(set) var zoom: ImageZoom
    private(set) var request: LoadingImageView.Request?
    private var description = ""
    /// The size of the view for which `request` was called last.
    private(set) var requestedSize: PixelSize?
    /// The offsets to scroll to when the zoomed image is laid out.
    private(set) var pendingOffset: (x: Double, y: Double)?
    private var layoutObserver: LayoutObserver?
    /// The position of the pointer in the view, in points.
    var pointer = (x: 0.0, y: 0.0)

    /// Creates a view without an image.
    ///
    /// - Parameters:
    ///   - loader: Loads the images.
    ///   - options: What the view shows before and between images.
    ///   - clock: Plays animated images, or `nil` to show only their first frame.
    ///   - pixelLimit: The maximum number of pixels of the whole image if the user zooms in, at least 1; less counts as 1.
    ///     The image is always decoded to the size of the view, and the visible part to up to four times as many pixels.
    ///     GTK 4.8 needs up to seven bytes per pixel.
    public init(
        loader: any ImageLoaderProtocol, options: ImageBinding.Options = ImageBinding.Options(),
        clock: AnimationClock? = nil, pixelLimit: Int = 4_000_000
    ) {
        zoom = ImageZoom(pixelLimit: pixelLimit)
        tile = ImageTile(loader: loader)
        cell = LoadingImageView(
            loader: loader, width: 1, height: 1, contentMode: .fit, shrinks: true, options: options, clock: clock)
        widget.addStyle("image-zoom")
        cell.widget.addLayer(tile.widget)
        unsafe gtk_scrolled_window_set_child(widget.opaque, cell.widget.pointer)
        // `addGestures` pans with any device.
        unsafe gtk_scrolled_window_set_kinetic_scrolling(widget.opaque, 0)
        unsafe gtk_widget_set_focusable(widget.pointer, 1)
        cell.onChange = { [weak self] in self?.imageChanged() }
        layoutObserver = LayoutObserver(widget) { [weak self] in self?.layoutDidFinish() }
        addGestures()
    }

    /// The appearance of the image.
    public var appearance: ImageAppearance { cell.appearance }
    /// Whether a crossfade is in progress.
    public var isCrossfading: Bool { cell.isCrossfading }
    /// The number of pixels of the screen per pixel of the image file, or of that of a preview.
    public var scale: Double { zoom.scale }
    /// Whether the image is larger than the view, so that it can be panned.
    public var isZoomedIn: Bool { zoom.scale > zoom.fittingScale }
    /// The size of the view in pixels, which is that of the first request. Both sides are 0 until it is laid out.
    public var viewSize: PixelSize { zoom.view }

    /// Shows the image of a request that depends on the size. The image fits in the view until the user zooms.
    ///
    /// - Parameters:
    ///   - description: The accessible description of the image.
    ///   - request: Returns the request for a size in pixels: that of the view, or a multiple of it. Called when the
    ///     view is laid out, and again if more pixels are needed.
    public func load(description: String, _ request: @escaping LoadingImageView.Request) {
        self.request = request
        self.description = description
        widget.setAccessibleLabel(description)
        requestedSize = nil
        pendingOffset = nil
        tile.clear()
        zoom.fit()
        update()
    }

    /// Removes the image and cancels its load.
    public func cancelLoading() {
        request = nil
        requestedSize = nil
        tile.clear()
        cell.cancelLoading()
    }

    /// Loads the image again after a failure. Without any image, the view has a button for it. If it shows a preview, offer
    /// your own.
    public func retry() { cell.retry() }

    /// Multiplies the scale at the center of the view. Factors over 1 enlarge the image.
    ///
    /// The scale is limited: to at most 16, or the scale at which the image fits if that is larger; and to at least the
    /// scale at which it fits, or 1 if that is smaller.
    public func zoom(by factor: Double) { setScale(zoom.scale * factor, at: center) }

    /// Shows the whole image.
    public func zoomToFit() { setScale(zoom.fittingScale, at: center) }

    /// Shows each pixel of the image as one of the screen.
    public func zoomToPixels() { setScale(1, at: center) }

    /// Moves the visible part by distances in points. Does nothing at the edge.
    public func pan(horizontally x: Double, vertically y: Double) {
        let offset = offset
        scroll(to: (offset.x + x, offset.y + y))
    }

    // MARK: Zooming

    private var center: (x: Double, y: Double) { (Double(widget.width) / 2, Double(widget.height) / 2) }

    /// Zooms so that a point of the view, in points, keeps its place in the image.
    func setScale(_ scale: Double, at point: (x: Double, y: Double)) {
        guard zoom.image != nil, zoom.view.area > 0, scale.isFinite else { return }
        let (before, offset) = (zoomedPoints, pendingOffset ?? offset)
        zoom.setScale(scale)
        let after = zoomedPoints
        pendingOffset = (
            ImageZoom.offset(offset.x, at: point.x, lengths: (before.x, after.x), view: Double(widget.width)),
            ImageZoom.offset(offset.y, at: point.y, lengths: (before.y, after.y), view: Double(widget.height))
        )
        update()
        onChange()
    }

    private var zoomedPoints: (x: Double, y: Double) {
        let (size, scale) = (zoom.zoomedSize, Double(widget.scaleFactor))
        return (Double(size.width) / scale, Double(size.height) / scale)
    }

    private func layoutDidFinish() {
        let scale = widget.scaleFactor
        let view = PixelSize(width: widget.width * scale, height: widget.height * scale)
        if view != zoom.view {
            zoom.view = view
            update()
        }
        if let pendingOffset { scroll(to: pendingOffset) }
        pendingOffset = nil
        updateTile()
    }

    private func imageChanged() {
        if let size = appearance.image?.header.size, size != zoom.image {
            zoom.show(size)
            update()
        }
        updateTile()
        onChange()
    }

    /// Gives the image its size on the screen, and loads it with more pixels if it needs them.
    private func update() {
        // An image that fits fills the view, whatever its size.
        let points = zoom.isFitting ? (x: 1, y: 1) : zoomedPoints
        cell.widget.setMinimumSize(width: Int(points.x.rounded(.up)), height: Int(points.y.rounded(.up)))
        let align = zoom.scale < zoom.fittingScale ? GTK_ALIGN_CENTER : GTK_ALIGN_FILL
        cell.widget.setAlignment(horizontal: align, vertical: align)
        loadNeededPixels()
    }

    private func loadNeededPixels() {
        guard let request, zoom.view.area > 0 else { return }
        let size = zoom.decodedSize
        guard needsRequest(for: size) else { return }
        let isEnlarged = requestedSize != nil && size.area > zoom.view.area
        requestedSize = size
        let scale = widget.scaleFactor
        cell.setImageSize(width: (size.width + scale - 1) / scale, height: (size.height + scale - 1) / scale)
        cell.load(description: description) { size in
            isEnlarged ? Self.enlarged(request(size)) : request(size)
        }
    }

    /// Returns the request for an image that would take the memory of many thumbnails. The shown image is better than any
    /// preview of it.
    static func enlarged(_ request: ImageRequest) -> ImageRequest {
        var request = request
        request.cachePolicy.memory = .disabled
        request.lowQuality = []
        request.isProgressive = false
        return request
    }

    /// Whether the image must be decoded again for a size.
    private func needsRequest(for size: PixelSize) -> Bool {
        guard let requested = requestedSize else { return true }
        if size.width > requested.width || size.height > requested.height {
            let image = appearance.kind == .final ? appearance.image : nil
            return image.map { $0.bitmap.size != $0.header.size } ?? true
        }
        // Painting far too many pixels is slow, and they take memory.
        return size.area < requested.area / 2
    }

    // MARK: Scrolling

    private var horizontal: UnsafeMutablePointer<GtkAdjustment>? {
        unsafe gtk_scrolled_window_get_hadjustment(widget.opaque)
    }

    private var vertical: UnsafeMutablePointer<GtkAdjustment>? {
        unsafe gtk_scrolled_window_get_vadjustment(widget.opaque)
    }

    /// The offset of the visible part from the beginning of the image, in points.
    var offset: (x: Double, y: Double) {
        unsafe (gtk_adjustment_get_value(horizontal), gtk_adjustment_get_value(vertical))
    }

    func scroll(to offset: (x: Double, y: Double)) {
        unsafe gtk_adjustment_set_value(horizontal, offset.x)
        unsafe gtk_adjustment_set_value(vertical, offset.y)
    }
}
#endif
