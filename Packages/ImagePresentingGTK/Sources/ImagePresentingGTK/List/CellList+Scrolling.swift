#if GTK
internal import CLibGTK

extension CellList {
    /// The number of existing cells, including those that GTK keeps off the screen.
    var cellCount: Int { cells.count }

    /// The cells on the screen with their positions, in order of position.
    public var onScreen: [(position: Int, cell: Cell)] {
        let found = visibleCells.values.compactMap { entry in entry.position.map { (position: $0, cell: entry.cell) } }
        return found.sorted { $0.position < $1.position }
    }

    /// The scroll offset from the beginning, in points.
    public var offset: Double {
        get { unsafe gtk_adjustment_get_value(adjustment) }
        set { unsafe gtk_adjustment_set_value(adjustment, newValue) }
    }

    /// The maximum offset in points. GTK estimates the height of cells that it has not laid out yet.
    public var largestOffset: Double {
        unsafe max(0, gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment))
    }

    /// Sets the accessible description of the list.
    public func setDescription(_ text: String) { view.setAccessibleLabel(text) }

    /// Activates an item, as with the keyboard.
    public func activate(_ position: Int) {
        unsafe gtk_widget_activate_action_variant(
            view.pointer, "list.activate-item", g_variant_new_uint32(UInt32(position)))
    }

    /// Scrolls to an item and moves the keyboard's focus to it, when the list is visible. Does nothing if there is no
    /// such item.
    public func focus(_ position: Int) {
        guard (0..<count).contains(position) else { return }
        positionToFocus = position
        unsafe gtk_widget_activate_action_variant(
            view.pointer, "list.scroll-to-item", g_variant_new_uint32(UInt32(position)))
        moveFocus()
    }

    /// Moves the focus to the item of `positionToFocus` if it is on the screen. GTK focuses its own parent of the cell.
    func moveFocus() {
        guard let position = positionToFocus,
            let entry = visibleCells.values.first(where: { $0.position == position }),
            let item = unsafe gtk_widget_get_parent(entry.cell.widget.pointer)
        else { return }
        positionToFocus = nil
        unsafe gtk_widget_grab_focus(item)
    }

    private var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
        unsafe gtk_scrolled_window_get_vadjustment(widget.opaque)
    }
}
#endif
