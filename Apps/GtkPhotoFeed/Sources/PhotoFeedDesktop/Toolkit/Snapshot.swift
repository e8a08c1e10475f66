internal import ImagePresentingGTK

/// Draws a visible widget into a PNG file, at the resolution of the screen.
///
/// Returns false if the widget is not visible or the file can't be written.
func saveSnapshot(of widget: GtkWidgetRef, to path: String) -> Bool {
    let (width, height) = unsafe (gtk_widget_get_width(widget.pointer), gtk_widget_get_height(widget.pointer))
    guard width > 0, height > 0, let native = unsafe gtk_widget_get_native(widget.pointer),
        let renderer = unsafe gtk_native_get_renderer(native), let snapshot = unsafe gtk_snapshot_new(),
        let paintable = unsafe gtk_widget_paintable_new(widget.pointer)
    else { return false }
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(paintable)) }
    let scale = widget.pixelsPerPoint
    unsafe gtk_snapshot_scale(snapshot, Float(scale), Float(scale))
    unsafe gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
    guard let node = unsafe gtk_snapshot_free_to_node(snapshot) else { return false }
    defer { unsafe gsk_render_node_unref(node) }
    var bounds = graphene_rect_t(
        origin: graphene_point_t(x: 0, y: 0),
        size: graphene_size_t(width: Float(width) * Float(scale), height: Float(height) * Float(scale)))
    guard let texture = unsafe gsk_renderer_render_texture(renderer, node, &bounds) else { return false }
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(texture)) }
    return unsafe gdk_texture_save_to_png(texture, path) != 0
}
