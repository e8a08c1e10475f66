public struct ZStack<Content: View>: View {
    private let content: Content

    /// Only the content here.
    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public var body: some View { content }
}

/// A type of its own in SwiftUI.
public typealias HStack = ZStack

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {
    let rows: [(id: ID, view: Content)]

    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {
        rows = data.map { ($0[keyPath: id], content($0)) }
    }
}

/// Draws only the rows that the host shows.
public struct List<Content: View>: PrimitiveView {
    nonisolated(unsafe) let content: Content

    nonisolated public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

public struct ProposedViewSize: Equatable, Sendable {
    public var width: CGFloat?
    public var height: CGFloat?

    public init(width: CGFloat?, height: CGFloat?) {
        self.width = width
        self.height = height
    }

    public init(_ size: CGSize) { self.init(width: size.width, height: size.height) }

    public func replacingUnspecifiedDimensions(by size: CGSize = CGSize(width: 10, height: 10)) -> CGSize {
        CGSize(width: width ?? size.width, height: height ?? size.height)
    }
}

public struct LayoutSubview {
    final class Placement {
        var proposal = ProposedViewSize(width: nil, height: nil)
    }

    let placement = Placement()

    /// Every view takes the proposed size here.
    public func sizeThatFits(_ proposal: ProposedViewSize) -> CGSize { proposal.replacingUnspecifiedDimensions() }

    /// Without anchor here.
    public func place(at position: CGPoint, proposal: ProposedViewSize) { placement.proposal = proposal }
}

@preconcurrency
public protocol Layout: Sendable {
    /// A collection of its own type in SwiftUI.
    typealias Subviews = [LayoutSubview]

    /// `Cache` is generic.
    func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) -> CGSize

    func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ())
}

extension Layout {
    public func callAsFunction(@ViewBuilder _ content: () -> some View) -> some View {
        LayoutView(layout: self, content: content())
    }
}

/// The container of a layout. Not part of SwiftUI.
nonisolated struct LayoutView<Content: View>: PrimitiveView {
    let layout: any Layout
    let content: Content
}

public struct GeometryProxy {
    public let size: CGSize
}
