/// What a list shows for one item now, and for another one later.
public protocol RecycledCell: AnyObject {
    var widget: Widget { get }

    /// Shows the item at a position from now on: the cell comes onto the screen. Its size may not depend on the item.
    func bind(to position: Int)

    /// Shows nothing any more.
    func unbind()

    /// Came onto the screen or left it. Only between `bind` and `unbind`.
    func setOnScreen(_ isOnScreen: Bool)
}
