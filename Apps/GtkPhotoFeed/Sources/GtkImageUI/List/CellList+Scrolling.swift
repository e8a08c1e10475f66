internal import CGtk

extension CellList {
    /// Cells that were made and not thrown away: those on the screen, and GTK's stock beside.
    public var cellCount: Int { cells.count }

    /// The cells on the screen with their positions, in order.
    public var onScreen: [(position: Int, cell: Cell)] {
        let found = seen.values.compactMap { bound in bound.position.map { (position: $0, cell: bound.cell) } }
        return found.sorted { $0.position < $1.position }
    }

    /// How far it is scrolled from its beginning, in points.
    public var offset: Double {
        get { unsafe gtk_adjustment_get_value(adjustment) }
        set { unsafe gtk_adjustment_set_value(adjustment, newValue) }
    }

    /// The largest offset, as far as GTK knows the height of what it has not shown yet.
    public var largestOffset: Double {
        unsafe max(0, gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment))
    }

    /// As if the user had chosen the item with the keyboard.
    public func activate(_ position: Int) {
        unsafe gtk_widget_activate_action_variant(
            view.pointer, "list.activate-item", g_variant_new_uint32(UInt32(position)))
    }

    private var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
        unsafe gtk_scrolled_window_get_vadjustment(widget.opaque)
    }
}
