#if GTK
internal import CLibGTK
public import ImagePresenting

/// A scrolling list or grid with reused cells.
///
/// GTK keeps many more cells than are visible (160 for a grid that shows 20), and during a scroll it changes the
/// positions of up to 40 of them in one frame. Therefore a cell is bound to its position only when it appears on the
/// screen, and most changes cause no work. A cell appears when its widget is mapped and laid out. All cells must have
/// the same size, whatever they show.
@MainActor @safe public final class CellList<Cell: RecycledCell> {
    /// The scrolling widget that contains the list.
    public let widget = GtkWidgetRef.scrolled()
    /// Called with the position when the user clicks an item or presses Return.
    public var onActivate: (Int) -> Void = { _ in }
    /// Called at most once per frame, when the range of items on the screen has changed.
    public var onScreenChange: (Range<Int>) -> Void = { _ in }

    /// Loads what comes next, according to the range on the screen.
    public var prefetch: PrefetchController?

    /// Called when the user pulls beyond the beginning.
    public var onPull: () -> Void = {}

    /// The list model. GTK needs an object for each item, but only its position is used.
    private let model: OpaquePointer
    let view: GtkWidgetRef
    let layout: CellListLayout
    /// The width for which the number of columns was computed.
    var fittedWidth = 0
    private let makeCell: () -> Cell
    /// All cells, by the address of GTK's list item.
    var cells: [UInt: CellEntry] = [:]
    /// The cells on the screen.
    var visibleCells: [ObjectIdentifier: CellEntry] = [:]
    /// The cells that were mapped since the last layout. They become visible after the layout if they are still mapped.
    private var mappedCells: [CellEntry] = []
    private var layoutObserver: LayoutObserver?
    /// The item that gets the keyboard's focus when it is on the screen.
    var positionToFocus: Int?
    private var isScreenChangeScheduled = false
    private var lastOnScreen = 0..<0

    final class CellEntry {
        let cell: Cell
        /// The position that GTK has assigned.
        var position: Int?
        /// Whether the cell is bound to the position.
        var isBound = false

        init(_ cell: Cell) { self.cell = cell }
    }

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - layout: The arrangement of the cells.
    ///   - makeCell: Creates a cell.
    public init(_ layout: CellListLayout, makeCell: @escaping () -> Cell) {
        self.layout = layout
        self.makeCell = makeCell
        unsafe model = unsafe gtk_string_list_new(nil)
        // The selection and the view consume the references that are passed to them.
        let selection = unsafe gtk_single_selection_new(OpaquePointer(g_object_ref(UnsafeMutableRawPointer(model))))
        let factory = unsafe gtk_signal_list_item_factory_new()
        unsafe gtk_single_selection_set_autoselect(selection, 0)
        unsafe gtk_single_selection_set_can_unselect(selection, 1)
        view = unsafe layout.makeView(selection, factory)
        view.addStyle("cell-list")
        layoutObserver = LayoutObserver(view) { [weak self] in self?.layoutDidFinish() }
        unsafe gtk_scrolled_window_set_child(widget.opaque, view.pointer)
        unsafe gtk_scrolled_window_set_policy(widget.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        if let factory = unsafe factory { unsafe connectFactory(UnsafeMutableRawPointer(factory)) }
        widget.onSignal(
            "edge-overshot",
            withPosition: { [weak self] edge in
                if edge == Int(GTK_POS_TOP.rawValue) { self?.onPull() }
            })
        view.onSignal("activate", withPosition: { [weak self] in self?.onActivate($0) })
    }

    isolated deinit { unsafe g_object_unref(UnsafeMutableRawPointer(model)) }

    /// The number of items. Changing it doesn't rebind the remaining items. Use `reload(count:)` if they have changed.
    public var count: Int {
        get { Int(unsafe g_list_model_get_n_items(model)) }
        set { replaceItems(from: min(count, newValue), with: max(0, newValue - count)) }
    }

    /// Sets the number of items and rebinds all cells. Use it if the items have changed.
    public func reload(count: Int) { replaceItems(from: 0, with: count) }

    private func replaceItems(from first: Int, with added: Int) {
        let names = unsafe g_strnfill(0, 0)
        defer { unsafe g_free(names) }
        var additions: [UnsafePointer<CChar>?] = unsafe Array(repeating: UnsafePointer(names), count: added)
        unsafe additions.append(nil)
        unsafe gtk_string_list_splice(model, UInt32(first), UInt32(count - first), &additions)
    }

    private func connectFactory(_ factory: UnsafeMutableRawPointer) {
        unsafe connect(factory, "setup", withObject: { [weak self] in unsafe self?.setUp($0) })
        unsafe connect(factory, "bind", withObject: { [weak self] in unsafe self?.bind($0) })
        unsafe connect(factory, "unbind", withObject: { [weak self] in unsafe self?.unbind($0) })
        unsafe connect(factory, "teardown", withObject: { [weak self] in unsafe self?.tearDown($0) })
    }
}

// Handlers of the factory's signals. GTK has a list item for each cell.
extension CellList {
    private func setUp(_ item: UnsafeMutableRawPointer) {
        let entry = CellEntry(makeCell())
        cells[UInt(bitPattern: item)] = entry
        unsafe gtk_list_item_set_child(OpaquePointer(item), entry.cell.widget.pointer)
        entry.cell.widget.onSignal("map") { [weak self, weak entry] in entry.map { self?.cellWasMapped($0) } }
        entry.cell.widget.onSignal("unmap") { [weak self, weak entry] in entry.map { self?.cellLeftScreen($0) } }
    }

    private func bind(_ item: UnsafeMutableRawPointer) {
        guard let entry = cells[UInt(bitPattern: item)] else { return }
        entry.position = Int(unsafe gtk_list_item_get_position(OpaquePointer(item)))
        // A reused cell may still be on the screen.
        if entry.cell.widget.isMapped { cellWasMapped(entry) }
    }

    private func unbind(_ item: UnsafeMutableRawPointer) {
        guard let entry = cells[UInt(bitPattern: item)] else { return }
        cellLeftScreen(entry)
        entry.position = nil
        if entry.isBound { entry.cell.unbind() }
        entry.isBound = false
    }

    private func tearDown(_ item: UnsafeMutableRawPointer) {
        unsafe gtk_list_item_set_child(OpaquePointer(item), nil)
        if let entry = cells.removeValue(forKey: UInt(bitPattern: item)) { visibleCells[ObjectIdentifier(entry)] = nil }
    }

    private func cellWasMapped(_ entry: CellEntry) {
        if entry.position != nil { mappedCells.append(entry) }
    }

    private func layoutDidFinish() {
        fitColumns()
        let candidates = mappedCells
        mappedCells = []
        for entry in candidates where entry.cell.widget.isMapped {
            guard let position = entry.position, visibleCells.updateValue(entry, forKey: ObjectIdentifier(entry)) == nil
            else { continue }
            if !entry.isBound { entry.cell.bind(to: position) }
            entry.isBound = true
            entry.cell.setOnScreen(true)
            scheduleScreenChange()
        }
        moveFocus()
    }

    private func cellLeftScreen(_ entry: CellEntry) {
        guard visibleCells.removeValue(forKey: ObjectIdentifier(entry)) != nil else { return }
        entry.cell.setOnScreen(false)
        scheduleScreenChange()
    }

    /// Combines all changes of a frame into one call of `onScreenChange` after the frame.
    private func scheduleScreenChange() {
        guard !isScreenChangeScheduled else { return }
        isScreenChangeScheduled = true
        Task { [weak self] in
            guard let self else { return }
            isScreenChangeScheduled = false
            let range = visibleCells.values.compactMap(\.position).sorted().longestRun
            guard range != lastOnScreen else { return }
            lastOnScreen = range
            prefetch?.update(visible: range, of: count, at: .microseconds(g_get_monotonic_time()))
            onScreenChange(range)
        }
    }
}

/// The arrangement of a list's cells.
@nonexhaustive
public enum CellListLayout: Hashable, Sendable {
    /// A single column.
    case list
    /// As many columns as fit, within a range.
    case grid(columns: ClosedRange<Int>)

    fileprivate func makeView(_ selection: OpaquePointer?, _ factory: OpaquePointer?) -> GtkWidgetRef {
        switch self {
        case .list:
            let list = unsafe GtkWidgetRef(gtk_list_view_new(selection, factory))
            unsafe gtk_list_view_set_single_click_activate(list.opaque, 1)
            return list
        case .grid(let columns):
            let grid = unsafe GtkWidgetRef(gtk_grid_view_new(selection, factory))
            unsafe gtk_grid_view_set_min_columns(grid.opaque, UInt32(columns.lowerBound))
            unsafe gtk_grid_view_set_single_click_activate(grid.opaque, 1)
            // `fitColumns` sets the maximum when the width is known.
            unsafe gtk_grid_view_set_max_columns(grid.opaque, UInt32(columns.lowerBound))
            return grid
        }
    }
}

extension [Int] {
    /// The longest range of consecutive numbers in a sorted array.
    ///
    /// After a jump, GTK's first layout leaves cells of the previous position and of an estimated position on the
    /// screen for one frame.
    fileprivate var longestRun: Range<Int> {
        var (longest, present) = (0..<0, 0..<0)
        for number in self {
            present = number == present.upperBound ? present.lowerBound..<number + 1 : number..<number + 1
            if present.count > longest.count { longest = present }
        }
        return longest
    }
}
#endif
