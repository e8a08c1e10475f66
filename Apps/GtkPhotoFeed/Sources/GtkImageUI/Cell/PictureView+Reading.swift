internal import CGtk
public import ImageCore

/// What is shown, read back from GTK: for whoever wants to be sure.
extension PictureView {
    /// Names the picture that is seen now, as long as it is seen; nil when none is.
    public var shownName: UInt? { unsafe shownTexture.map { UInt(bitPattern: $0) } }

    /// A copy of the picture that is seen now. Straight colours only where it is opaque.
    public var shownBitmap: Bitmap? {
        guard let texture = unsafe shownTexture else { return nil }
        let size = unsafe PixelSize(
            width: Int(gdk_texture_get_width(texture)), height: Int(gdk_texture_get_height(texture)))
        var pixels = [UInt8](repeating: 0, count: size.area * 4)
        unsafe gdk_texture_download(texture, &pixels, gsize(size.width * 4))
        // GTK's order is blue, green, red, alpha.
        for index in stride(from: 0, to: pixels.count, by: 4) { pixels.swapAt(index, index + 2) }
        return Bitmap(size: size, pixels: pixels, isOpaque: false)
    }

    private var shownTexture: OpaquePointer? {
        guard face == .picture, let page = unsafe gtk_stack_get_visible_child(stack.opaque) else { return nil }
        return unsafe gtk_picture_get_paintable(OpaquePointer(page))
    }
}
