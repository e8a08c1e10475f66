/// https://developer.apple.com/documentation/swiftui/zstack
public struct ZStack<Content: View>: View {
    private let content: Content

    /// https://developer.apple.com/documentation/swiftui/zstack/init(alignment:content:). Only the content here.
    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    public var body: some View { content }
}

/// https://developer.apple.com/documentation/swiftui/hstack
public struct HStack<Content: View>: View {
    private let content: Content

    /// https://developer.apple.com/documentation/swiftui/hstack/init(alignment:spacing:content:). Only the content here.
    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    public var body: some View { content }
}

/// https://developer.apple.com/documentation/swiftui/foreach
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {
    let rows: [(id: ID, view: Content)]

    /// https://developer.apple.com/documentation/swiftui/foreach/init(_:id:content:)-6i0gd
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {
        rows = data.map { ($0[keyPath: id], content($0)) }
    }
}

/// Draws only the rows that the host shows. https://developer.apple.com/documentation/swiftui/list
public struct List<Content: View>: PrimitiveView {
    nonisolated(unsafe) let content: Content

    /// https://developer.apple.com/documentation/swiftui/list/init(content:)
    nonisolated public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

/// https://developer.apple.com/documentation/swiftui/proposedviewsize
public struct ProposedViewSize: Equatable, Sendable {
    public var width: CGFloat?
    public var height: CGFloat?

    public init(width: CGFloat?, height: CGFloat?) {
        self.width = width
        self.height = height
    }

    /// https://developer.apple.com/documentation/swiftui/proposedviewsize/replacingunspecifieddimensions(by:)
    public func replacingUnspecifiedDimensions(by size: CGSize = CGSize(width: 10, height: 10)) -> CGSize {
        CGSize(width: width ?? size.width, height: height ?? size.height)
    }
}

/// https://developer.apple.com/documentation/swiftui/layoutsubview
public struct LayoutSubview {
    final class Placement {
        var proposal = ProposedViewSize(width: nil, height: nil)
    }

    let placement = Placement()

    /// Every view takes the proposed size here.
    /// https://developer.apple.com/documentation/swiftui/layoutsubview/sizethatfits(_:)
    public func sizeThatFits(_ proposal: ProposedViewSize) -> CGSize { proposal.replacingUnspecifiedDimensions() }

    /// https://developer.apple.com/documentation/swiftui/layoutsubview/place(at:anchor:proposal:). Without anchor here.
    public func place(at position: CGPoint, proposal: ProposedViewSize) { placement.proposal = proposal }
}

/// https://developer.apple.com/documentation/swiftui/layout
@preconcurrency
public protocol Layout: Sendable {
    /// https://developer.apple.com/documentation/swiftui/layout/subviews. A collection of its own type in SwiftUI.
    typealias Subviews = [LayoutSubview]

    /// https://developer.apple.com/documentation/swiftui/layout/sizethatfits(proposal:subviews:cache:). `Cache` is generic.
    func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) -> CGSize

    /// https://developer.apple.com/documentation/swiftui/layout/placesubviews(in:proposal:subviews:cache:)
    func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ())
}

extension Layout {
    /// https://developer.apple.com/documentation/swiftui/layout/callasfunction(_:)
    public func callAsFunction(@ViewBuilder _ content: () -> some View) -> some View {
        LayoutView(layout: self, content: content())
    }
}

/// The container of a layout. Not part of SwiftUI.
nonisolated struct LayoutView<Content: View>: PrimitiveView {
    let layout: any Layout
    let content: Content
}

/// https://developer.apple.com/documentation/swiftui/geometryproxy
public struct GeometryProxy {
    /// https://developer.apple.com/documentation/swiftui/geometryproxy/size
    public let size: CGSize
}

extension ProposedViewSize {
    /// https://developer.apple.com/documentation/swiftui/proposedviewsize/init(_:)
    public init(_ size: CGSize) { self.init(width: size.width, height: size.height) }
}
