#if GTK
internal import CLibGTK

extension CellList {
    /// Limits the number of columns of a grid to those that fit. GTK binds thirty cells for each allowed column, even
    /// if it doesn't fit, and measures all of them in each layout.
    ///
    /// Call it after a layout. If the limit changes, GTK lays out the grid again in the same frame.
    func fitColumns() {
        guard case .grid(let columns) = layout, let cell = cells.values.first?.cell.widget, view.width != fittedWidth
        else { return }
        fittedWidth = view.width
        let fitting = view.width / max(1, cell.minimumWidth)
        unsafe gtk_grid_view_set_max_columns(
            view.opaque, UInt32(min(max(fitting, columns.lowerBound), columns.upperBound)))
    }
}

extension GtkWidgetRef {
    /// The minimum width, in points.
    fileprivate var minimumWidth: Int {
        var width: Int32 = 0
        unsafe gtk_widget_measure(pointer, GTK_ORIENTATION_HORIZONTAL, -1, &width, nil, nil, nil)
        return Int(width)
    }
}
#endif
