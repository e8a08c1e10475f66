internal import CGtk

/// A list or grid that scrolls, of as many items as it is told, in cells that it uses again and again.
///
/// GTK has items for many more cells than can be seen (a hundred and sixty for a grid that shows twenty), and while it scrolls it gives up to forty
/// of them other positions in one frame: where the range lies that it keeps depends on where the row in the middle of the screen stands. So a cell
/// learns of its position when it comes onto the screen, and of most positions it never does. That is when its widget is mapped and has been given its
/// place: new ones are mapped for as long as they have none. Cells have one size, whatever they show.
@MainActor @safe public final class CellList<Cell: RecycledCell> {
    /// The scrolling window around it.
    public let widget = Widget.scrolled()
    /// Called when an item was chosen with pointer or keyboard.
    public var onActivate: (Int) -> Void = { _ in }
    /// Called when other items than before are on the screen, at most once a frame.
    public var onScreenChange: (Range<Int>) -> Void = { _ in }

    /// Called when the user pulls beyond the beginning.
    public var onPull: () -> Void = {}

    /// Position counts alone: GTK wants an object for each item, the cell looks up what the item is.
    private let model: OpaquePointer
    let view: Widget
    let layout: CellListLayout
    /// The width for which the number of columns was worked out.
    var fittedWidth = 0
    private let makeCell: () -> Cell
    /// By the address of GTK's item.
    var cells: [UInt: BoundCell] = [:]
    /// Those of them that are on the screen.
    var seen: [ObjectIdentifier: BoundCell] = [:]
    /// Those that have been mapped, and will be on the screen if they still are when they have their places.
    private var arriving: [BoundCell] = []
    private var layoutTurn: LayoutTurn?
    private var screenChangeIsDue = false
    private var lastOnScreen = 0..<0

    final class BoundCell {
        let cell: Cell
        /// What GTK wants it to show.
        var position: Int?
        /// Whether the cell knows.
        var isTold = false

        init(_ cell: Cell) { self.cell = cell }
    }

    public init(_ layout: CellListLayout, makeCell: @escaping () -> Cell) {
        (self.layout, self.makeCell) = (layout, makeCell)
        unsafe model = unsafe gtk_string_list_new(nil)
        // The selection and the view each take over what they are given.
        let selection = unsafe gtk_single_selection_new(OpaquePointer(g_object_ref(UnsafeMutableRawPointer(model))))
        let factory = unsafe gtk_signal_list_item_factory_new()
        unsafe gtk_single_selection_set_autoselect(selection, 0)
        unsafe gtk_single_selection_set_can_unselect(selection, 1)
        view = unsafe layout.makeView(selection, factory)
        view.addStyle("cell-list")
        layoutTurn = LayoutTurn(view) { [weak self] in self?.laidOut() }
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

    /// How many items there are. Those that stay keep their cells; `reload` shows all of them anew.
    public var count: Int {
        get { Int(unsafe g_list_model_get_n_items(model)) }
        set { replaceItems(from: min(count, newValue), with: max(0, newValue - count)) }
    }

    /// Binds every cell again, when the items have become others.
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

// What the factory asks for. An item of the list stands for one cell.
extension CellList {
    private func setUp(_ item: UnsafeMutableRawPointer) {
        let bound = BoundCell(makeCell())
        cells[UInt(bitPattern: item)] = bound
        unsafe gtk_list_item_set_child(OpaquePointer(item), bound.cell.widget.pointer)
        bound.cell.widget.onSignal("map") { [weak self, weak bound] in bound.map { self?.mapped($0) } }
        bound.cell.widget.onSignal("unmap") { [weak self, weak bound] in bound.map { self?.left($0) } }
    }

    private func bind(_ item: UnsafeMutableRawPointer) {
        guard let bound = cells[UInt(bitPattern: item)] else { return }
        bound.position = Int(unsafe gtk_list_item_get_position(OpaquePointer(item)))
        // A cell that is used again may still be on the screen.
        if bound.cell.widget.isMapped { mapped(bound) }
    }

    private func unbind(_ item: UnsafeMutableRawPointer) {
        guard let bound = cells[UInt(bitPattern: item)] else { return }
        left(bound)
        bound.position = nil
        if bound.isTold { bound.cell.unbind() }
        bound.isTold = false
    }

    private func tearDown(_ item: UnsafeMutableRawPointer) {
        unsafe gtk_list_item_set_child(OpaquePointer(item), nil)
        if let bound = cells.removeValue(forKey: UInt(bitPattern: item)) { seen[ObjectIdentifier(bound)] = nil }
    }

    private func mapped(_ bound: BoundCell) {
        if bound.position != nil { arriving.append(bound) }
    }

    private func laidOut() {
        fitColumns()
        let candidates = arriving
        arriving = []
        for bound in candidates where bound.cell.widget.isMapped {
            guard let position = bound.position, seen.updateValue(bound, forKey: ObjectIdentifier(bound)) == nil
            else { continue }
            if !bound.isTold { bound.cell.bind(to: position) }
            bound.isTold = true
            bound.cell.setOnScreen(true)
            announceScreenChange()
        }
    }

    private func left(_ bound: BoundCell) {
        guard seen.removeValue(forKey: ObjectIdentifier(bound)) != nil else { return }
        bound.cell.setOnScreen(false)
        announceScreenChange()
    }

    /// Many cells come and go within one frame, and are told of as one change, in the turn that tasks get after it.
    private func announceScreenChange() {
        guard !screenChangeIsDue else { return }
        screenChangeIsDue = true
        Task { [weak self] in
            guard let self else { return }
            screenChangeIsDue = false
            let range = seen.values.compactMap(\.position).sorted().longestRun
            if range != lastOnScreen { onScreenChange(range) }
            lastOnScreen = range
        }
    }
}

/// How a list places its cells.
public enum CellListLayout: Hashable, Sendable {
    case list
    /// As many columns as fit, within these.
    case grid(columns: ClosedRange<Int>)

    fileprivate func makeView(_ selection: OpaquePointer?, _ factory: OpaquePointer?) -> Widget {
        switch self {
        case .list: return unsafe Widget(gtk_list_view_new(selection, factory))
        case .grid(let columns):
            let grid = unsafe Widget(gtk_grid_view_new(selection, factory))
            unsafe gtk_grid_view_set_min_columns(grid.opaque, UInt32(columns.lowerBound))
            // Until it is known how many fit.
            unsafe gtk_grid_view_set_max_columns(grid.opaque, UInt32(columns.lowerBound))
            return grid
        }
    }
}

extension [Int] {
    /// The longest run of neighbours in ascending numbers. After a jump, GTK's first layout leaves cells of the place before, and of a place that
    /// it took for the new one, on the screen for one frame.
    fileprivate var longestRun: Range<Int> {
        var (longest, present) = (0..<0, 0..<0)
        for number in self {
            present = number == present.upperBound ? present.lowerBound..<number + 1 : number..<number + 1
            if present.count > longest.count { longest = present }
        }
        return longest
    }
}
