#if GTK
/// A cell of a list that is reused for different items.
public protocol RecycledCell: AnyObject {
    /// The widget of the cell. Its size must not depend on the item.
    var widget: GtkWidgetRef { get }

    /// Shows the item at a position. Called before the cell appears on the screen.
    func bind(to position: Int)

    /// Releases the item.
    func unbind()

    /// Called when the cell has appeared on the screen or disappeared from it. Only called between `bind` and `unbind`.
    func setOnScreen(_ isOnScreen: Bool)
}
#endif
