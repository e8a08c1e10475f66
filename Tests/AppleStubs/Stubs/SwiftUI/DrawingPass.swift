import Foundation

// This file is not part of SwiftUI.

/// One evaluation of the view tree.
@MainActor
struct DrawingPass {
    weak var host: (any UpdatingHost)?
    var environment: EnvironmentValues
    var proposal: ProposedViewSize
    /// The rows of lists that are visible.
    var rows: Range<Int>
    var isFirst = true
    var drawn: [String] = []
    var buttons: [String: @MainActor () -> Void] = [:]
    var refresh: (@Sendable () async -> Void)?
    var animations: [String] = []
    /// The actions to perform after the evaluation.
    var afterwards: [() -> Void] = []

    init(environment: EnvironmentValues, size: CGSize, rows: Range<Int>) {
        self.environment = environment
        proposal = ProposedViewSize(width: size.width, height: size.height)
        self.rows = rows
    }

    mutating func begin() {
        drawn = []
        buttons = [:]
        refresh = nil
        animations = []
        afterwards = []
    }

    mutating func visit(_ view: some View, _ node: HostedNode) {
        if let view = view as? any HostedView { return view.draw(in: &self, node) }
        for (index, property) in Mirror(reflecting: view).children.enumerated() {
            (property.value as? any HostedProperty)?.attach(to: node, at: index, in: self)
        }
        visit(view.body, node.child("body"))
    }

    /// Visits with another proposed size or environment.
    mutating func visit(_ view: some View, _ node: HostedNode, changing change: (inout DrawingPass) -> Void) {
        let outer = self
        change(&self)
        visit(view, node)
        environment = outer.environment
        proposal = outer.proposal
    }
}

/// A view without a body.
@MainActor
protocol HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode)
}

/// A view that is several views in a list or a layout.
@MainActor
protocol RowsView {
    var listRows: [(name: String, view: any View)] { get }
}

@MainActor
private func rows(of view: any View) -> [(name: String, view: any View)] {
    (view as? any RowsView)?.listRows ?? [("", view)]
}

extension HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) {}
}

extension Never: HostedView {}
@MainActor extension EmptyView: HostedView {}
extension Rectangle: HostedView {}

extension Image: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) { pass.drawn.append(name) }
}

extension Text: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) { pass.drawn.append(content) }
}

extension Color: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) { if !name.isEmpty { pass.drawn.append(name) } }
}

@MainActor
extension Button: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) {
        let outer = pass.drawn
        pass.drawn = []
        pass.visit(label, node.child("label"))
        let name = pass.drawn.first ?? ""
        pass.buttons[name] = action
        pass.drawn = outer + ["button \(pass.drawn.joined(separator: ", "))"]
    }
}

extension Optional: HostedView, RowsView where Wrapped: View {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) { if let self { pass.visit(self, node.child("some")) } }

    var listRows: [(name: String, view: any View)] { map { [("some", $0)] } ?? [] }
}

@MainActor
extension _ConditionalContent: HostedView, RowsView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) { pass.visit(branch.view, node.child(branch.name)) }

    var listRows: [(name: String, view: any View)] { [branch] }
}

@MainActor
extension TupleView: HostedView, RowsView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) {
        for (index, view) in views.enumerated() { pass.visit(view, node.child("\(index)")) }
    }

    var listRows: [(name: String, view: any View)] {
        views.enumerated().flatMap { index, view in
            rows(of: view).map { ("\(index).\($0.name)", $0.view) }
        }
    }
}

extension ForEach: HostedView, RowsView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) {
        for (id, view) in rows { pass.visit(view, node.child("\(id)")) }
    }

    var listRows: [(name: String, view: any View)] { rows.map { ("\($0.id)", $0.view) } }
}

extension List: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) {
        for (index, row) in rows(of: content).enumerated() {
            guard pass.rows.contains(index) else {
                node.hide(row.name)
                continue
            }
            pass.visit(row.view, node.child(row.name)) { $0.proposal.height = nil }
        }
    }
}

@MainActor
extension LayoutView: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) {
        let views = rows(of: content)
        let subviews = views.map { _ in LayoutSubview() }
        var cache: Void = ()
        let size = layout.sizeThatFits(proposal: pass.proposal, subviews: subviews, cache: &cache)
        layout.placeSubviews(
            in: CGRect(origin: .zero, size: size), proposal: pass.proposal, subviews: subviews, cache: &cache)
        for (view, subview) in zip(views, subviews) {
            pass.visit(view.view, node.child(view.name)) { $0.proposal = subview.placement.proposal }
        }
    }
}

@MainActor
extension Modified: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) {
        switch modifier {
        case .id(let id): pass.visit(content, node.child("id " + id))
        case .environment(let change): pass.visit(content, node.child("content")) { change(&$0.environment) }
        case .frame(let size):
            pass.visit(content, node.child("content")) { pass in
                pass.proposal.width = size.width ?? pass.proposal.width
                pass.proposal.height = size.height ?? pass.proposal.height
            }
        default: pass.visit(content, node.child("content"))
        }
        apply(to: node, in: &pass)
        node.hasAppeared = true
    }

    private func apply(to node: HostedNode, in pass: inout DrawingPass) {
        switch modifier {
        case .none, .opacity, .id, .environment, .frame: break
        case .attribute(let text): pass.drawn.append((pass.drawn.popLast() ?? "") + " (\(text))")
        case .task(let id, let action): pass.afterwards.append { Self.start(id, action, at: node) }
        case .onAppear(let action):
            if !node.hasAppeared { pass.afterwards.append(action) }
        case .onDisappear(let action): node.onDisappear = action
        case .refresh(let action): pass.refresh = action
        case .geometry(let action):
            let size = pass.proposal.replacingUnspecifiedDimensions()
            if node.size != size { pass.afterwards.append { action(size) } }
            node.size = size
        case .transition(let transition):
            if node.transition == nil, !transition.insertion.isEmpty {
                pass.animations.append("insert " + transition.insertion)
            }
            node.transition = transition
        case .animation(let animation, let value):
            if let animation, let before = node.animated, !before.equals(value) {
                pass.animations.append(animation.description)
            }
            node.animated = value
        }
    }

    /// Starts a task. It runs until the view disappears or the id changes.
    private static func start(_ id: any Equatable, _ action: TaskAction, at node: HostedNode) {
        if let running = node.task, running.id.equals(id) { return }
        node.task?.running.cancel()
        node.task = (id, Task { await action.run() })
    }
}
