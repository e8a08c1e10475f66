internal import CGtk

extension CellList {
    /// Allows a grid no more columns than it has space for: GTK binds thirty cells for each that is allowed, whether or not it fits, and measures them
    /// all in each layout.
    ///
    /// To be called after a layout. If it changes something GTK lays out the grid again, in the same frame.
    func fitColumns() {
        guard case .grid(let columns) = layout, let cell = cells.values.first?.cell.widget, view.width != fittedWidth
        else { return }
        fittedWidth = view.width
        let fitting = view.width / max(1, cell.minimumWidth)
        unsafe gtk_grid_view_set_max_columns(
            view.opaque, UInt32(min(max(fitting, columns.lowerBound), columns.upperBound)))
    }
}

extension Widget {
    /// The least width that it can have, in points.
    fileprivate var minimumWidth: Int {
        var width: Int32 = 0
        unsafe gtk_widget_measure(pointer, GTK_ORIENTATION_HORIZONTAL, -1, &width, nil, nil, nil)
        return Int(width)
    }
}
