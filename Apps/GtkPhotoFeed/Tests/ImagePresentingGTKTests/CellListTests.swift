import ImageLoading
import ImagePresenting
import ImageTesting
import XCTest

@testable import ImagePresentingGTK

final class CellListTests: GtkTestCase {
    func testFarFewerCellsThanItems() throws {
        try onScreen {
            let list = ListOnScreen(count: 5_000)
            defer { list.close() }
            XCTAssertEqual(list.list.count, 5_000)
            XCTAssertGreaterThan(list.list.cellCount, 0)
            XCTAssertLessThan(list.list.cellCount, 400)
            XCTAssertLessThan(list.list.onScreen.count, 40)
        }
    }

    func testCellsAreReusedForOtherItems() throws {
        try onScreen {
            let list = ListOnScreen(count: 5_000)
            defer { list.close() }
            let (cells, last) = (list.list.cellCount, list.list.onScreen.last?.position ?? 0)
            for _ in 0..<30 { list.scroll(by: 400) }
            XCTAssertGreaterThan(list.list.onScreen.first?.position ?? 0, last)
            XCTAssertLessThan(list.list.cellCount, 2 * cells + 50)
            XCTAssertEqual(list.mismatches, [])
        }
    }

    func testACellIsBoundWhenItAppearsOnTheScreen() throws {
        try onScreen {
            let list = ListOnScreen(count: 5_000)
            defer { list.close() }
            for _ in 0..<10 {
                XCTAssertEqual(
                    list.cells.filter(\.isOnScreen).compactMap(\.position).sorted(),
                    list.list.onScreen.map(\.position))
                list.scroll(by: 300)
            }
            XCTAssertEqual(list.log.faults, 0)
            // Seven or eight cells for each of ten screens, instead of the hundreds that GTK binds.
            XCTAssertLessThan(list.binds, 100)
            XCTAssertGreaterThan(list.list.cellCount, 100)
        }
    }

    func testAnItemOffTheScreenIsScrolledToAndGetsTheKeyboardsFocus() throws {
        try onScreen {
            let list = ListOnScreen(count: 5_000)
            defer { list.close() }
            for position in [3_000, 0] {
                list.list.focus(position)
                XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { list.focusedPosition == position })
            }
            for position in [-1, 5_000, .max] { list.list.focus(position) }
            XCTAssertEqual(list.focusedPosition, 0, "there are no such items")
            XCTAssertNil(list.list.positionToFocus)
        }
    }

    func testACellThatReappearsIsNotBoundAgain() throws {
        try onScreen {
            let list = ListOnScreen(count: 5_000)
            defer { list.close() }
            let first = list.list.onScreen.map { ObjectIdentifier($0.cell) }
            list.scroll(by: 600)
            let binds = list.binds
            list.scroll(by: -600)
            XCTAssertEqual(list.list.onScreen.map { ObjectIdentifier($0.cell) }, first)
            XCTAssertEqual(list.binds, binds)
            XCTAssertEqual(list.mismatches, [])
        }
    }

    func testACellThatIsShownAgainWithoutALayoutIsOnScreen() throws {
        try onScreen {
            let list = ListOnScreen(count: 100)
            defer { list.close() }
            let (position, cell) = try XCTUnwrap(list.list.onScreen.first)
            unsafe gtk_widget_set_child_visible(cell.widget.pointer, 0)
            XCTAssertFalse(cell.isOnScreen)
            unsafe gtk_widget_set_child_visible(cell.widget.pointer, 1)
            XCTAssertTrue(GtkMainLoop.run(upTo: .seconds(5)) { cell.isOnScreen })
            XCTAssertEqual(cell.position, position)
        }
    }

    func testAGridBindsOnlyCellsForColumnsThatFit() throws {
        try onScreen {
            // Cells of 100 points plus GTK's padding, in windows of 400 and 800 points.
            let list = ListOnScreen(count: 5_000, .grid(columns: 2...20))
            defer { list.close() }
            XCTAssertEqual(list.columns, 3)
            XCTAssertLessThan(list.list.cellCount, 30 * 5)
            list.resize(width: 800)
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { list.columns == 7 }, "\(list.columns)")
            XCTAssertLessThan(list.list.cellCount, 30 * 9)
            XCTAssertEqual(list.mismatches, [])
        }
    }

    func testTheRangeOnScreenFollowsTheScroll() throws {
        try onScreen {
            let list = ListOnScreen(count: 5_000)
            defer { list.close() }
            XCTAssertEqual(list.ranges.last?.lowerBound, 0)
            list.scroll(by: 3_000)
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { list.ranges.last?.contains(60) == true })
            XCTAssertTrue(list.ranges.allSatisfy { $0.count < 40 }, "\(list.ranges)")
        }
    }

    func testAppendedItemsLeaveTheBoundOnesAlone() throws {
        try onScreen {
            let list = ListOnScreen(count: 3)
            defer { list.close() }
            let binds = list.binds
            list.list.count = 5
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { list.list.onScreen.count == 5 })
            XCTAssertEqual(list.binds, binds + 2)
            list.list.reload(count: 4)
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { list.list.onScreen.count == 4 })
            XCTAssertEqual(list.binds, binds + 2 + 4)
            list.list.count = 0
            XCTAssertTrue(GtkMainLoop.run(upTo: testTimeout) { list.cells.allSatisfy { $0.position == nil } })
        }
    }

    func testActivationPassesThePosition() throws {
        try onScreen {
            let list = ListOnScreen(count: 10)
            defer { list.close() }
            var activated: [Int] = []
            list.list.onActivate = { activated.append($0) }
            list.list.activate(7)
            XCTAssertEqual(activated, [7])
        }
    }

    func testTheListPrefetchesWhatComesNext() throws {
        try onScreen {
            let list = ListOnScreen(count: 5_000)
            defer { list.close() }
            let prefetched = ListOnScreen.Log()
            let prefetcher = ImagePrefetcher(loader: FakeImageLoader())
            list.list.prefetch = PrefetchController(prefetcher: prefetcher) { position in
                prefetched.ranges.append(position..<position + 1)
                return nil
            }
            list.scroll(by: 300)
            let last = list.list.onScreen.last?.position ?? 0
            XCTAssertTrue(prefetched.ranges.contains { $0.lowerBound > last })
        }
    }
}

/// A list in a window, with cells that record calls.
@MainActor private final class ListOnScreen {
    let list: CellList<RecordingCell>
    let log = Log()
    private let window: TestWindow

    @MainActor final class Log {
        var cells: [RecordingCell] = []
        var binds = 0
        /// The number of invalid calls: unbind without bind, bind twice, or a visibility change without bind.
        var faults = 0
        var ranges: [Range<Int>] = []
    }

    var cells: [RecordingCell] { log.cells }
    var binds: Int { log.binds }
    var ranges: [Range<Int>] { log.ranges }

    init(count: Int, _ layout: CellListLayout = .list) {
        list = CellList(layout) { [log] in
            let cell = RecordingCell(log)
            log.cells.append(cell)
            return cell
        }
        list.onScreenChange = { [log] in log.ranges.append($0) }
        list.count = count
        window = TestWindow(list.widget)
        _ = GtkMainLoop.run(upTo: testTimeout) { [log, list] in
            !list.onScreen.isEmpty && log.ranges.last?.count == list.onScreen.count
        }
    }

    /// Scrolls, and waits until the range on the screen has changed.
    func scroll(by points: Double) {
        let ranges = ranges.count
        list.offset += points
        _ = GtkMainLoop.run(upTo: testTimeout) { self.ranges.count > ranges }
    }

    /// The position of the item with the keyboard's focus.
    var focusedPosition: Int? {
        let focused = unsafe gtk_window_get_focus(window.window.cast(to: GtkWindow.self))
        return list.onScreen.first { unsafe gtk_widget_get_parent($0.cell.widget.pointer) == focused }?.position
    }

    /// The number of cells in the first row on the screen.
    var columns: Int {
        let tops = list.onScreen.map { top(of: $0.cell.widget) }
        return tops.count { $0 == tops.first }
    }

    private func top(of cell: GtkWidgetRef) -> Double {
        var y = 0.0
        unsafe gtk_widget_translate_coordinates(cell.pointer, list.widget.pointer, 0, 0, nil, &y)
        return y
    }

    func resize(width: Int) {
        unsafe gtk_window_set_default_size(window.window.cast(to: GtkWindow.self), Int32(width), 400)
    }

    /// The positions on the screen whose cell is bound to another position.
    var mismatches: [Int] { list.onScreen.filter { $0.cell.position != $0.position }.map(\.position) }

    func close() { window.close() }
}

@MainActor private final class RecordingCell: RecycledCell {
    let widget = GtkWidgetRef.box(GTK_ORIENTATION_VERTICAL)
    var position: Int?
    var isOnScreen = false
    private let log: ListOnScreen.Log

    init(_ log: ListOnScreen.Log) {
        self.log = log
        widget.setMinimumSize(width: 100, height: 50)
    }

    func bind(to position: Int) {
        if self.position != nil { log.faults += 1 }
        self.position = position
        log.binds += 1
    }

    func unbind() {
        if position == nil { log.faults += 1 }
        position = nil
        isOnScreen = false
    }

    func setOnScreen(_ isOnScreen: Bool) {
        if position == nil { log.faults += 1 }
        self.isOnScreen = isOnScreen
    }
}
