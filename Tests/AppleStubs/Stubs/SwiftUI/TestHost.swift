import Observation

// This file is not part of SwiftUI. It draws views for tests, following the documentation of SwiftUI.

/// Hosts a view. Evaluates bodies, keeps state by position, redraws when observed values change, and ties tasks to
/// their id.
@MainActor
public final class TestHost<Root: View>: RedrawingHost {
    /// The current content: "image" with its width, the content of a text, or "color".
    public private(set) var drawn: [String] = []
    /// The animations triggered by changed values, in order.
    public private(set) var animations: [String] = []
    private let onDraw: ([String]) -> Void
    private var root: Root
    private let node = HostedNode()
    private var taps: [() -> Void] = []
    private var isShown = true

    /// Draws a view.
    ///
    /// - Parameter onDraw: Called with the content after each update.
    public init(_ root: Root, onDraw: @escaping ([String]) -> Void = { _ in }) {
        self.root = root
        self.onDraw = onDraw
        draw()
    }

    /// Replaces the view, but keeps its state.
    public func update(_ root: Root) {
        self.root = root
        draw()
    }

    /// Removes the view.
    public func disappear() {
        isShown = false
        node.disappear()
    }

    /// Performs all tap actions.
    public func tap() { for action in taps { action() } }

    nonisolated func redrawSoon() {
        Task { @MainActor in if self.isShown { self.draw() } }
    }

    private func draw() {
        var pass = DrawingPass(host: self)
        node.unvisit()
        let host: any RedrawingHost = self
        withObservationTracking {
            pass.visit(root, node)
        } onChange: { [weak host] in
            host?.redrawSoon()
        }
        node.removeUnvisited()
        (drawn, taps) = (pass.drawn, pass.taps)
        animations += pass.animations
        onDraw(drawn)
        for action in pass.afterwards { action() }
    }
}

protocol RedrawingHost: AnyObject, Sendable {
    func redrawSoon()
}

/// A property whose value the host keeps.
protocol HostedProperty {
    @MainActor func attach(to node: HostedNode, at index: Int, of host: any RedrawingHost)
}

/// A node in the view tree, with its state.
@MainActor
final class HostedNode {
    var states: [Int: AnyObject] = [:]
    var task: (id: AnyID, running: Task<Void, Never>)?
    var animated: AnyID?
    var onDisappear: (() -> Void)?
    var hasAppeared = false
    private var children: [String: HostedNode] = [:]
    private var isVisited = true

    func child(_ name: String) -> HostedNode {
        let child = children[name] ?? HostedNode()
        child.isVisited = true
        children[name] = child
        return child
    }

    func unvisit() {
        for child in children.values {
            child.isVisited = false
            child.unvisit()
        }
    }

    func removeUnvisited() {
        for (name, child) in children {
            if child.isVisited {
                child.removeUnvisited()
            } else {
                children[name] = nil
                child.disappear()
            }
        }
    }

    func disappear() {
        task?.running.cancel()
        onDisappear?()
        (task, onDisappear) = (nil, nil)
        for child in children.values { child.disappear() }
    }
}

/// One update of the view tree.
@MainActor
struct DrawingPass {
    let host: any RedrawingHost
    var drawn: [String] = []
    var taps: [() -> Void] = []
    var animations: [String] = []
    /// The actions to perform after the update.
    var afterwards: [() -> Void] = []

    init(host: any RedrawingHost) { self.host = host }

    mutating func visit(_ view: some View, _ node: HostedNode) {
        if let view = view as? any HostedView { return view.draw(in: &self, node) }
        for (index, property) in Mirror(reflecting: view).children.enumerated() {
            (property.value as? any HostedProperty)?.attach(to: node, at: index, of: host)
        }
        visit(view.body, node.child("body"))
    }
}

/// A view without a body.
@MainActor
protocol HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode)
}

extension Image: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) { pass.drawn.append("image \(cgImage.width)") }
}

extension Text: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) { pass.drawn.append(content) }
}

extension Color: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) { pass.drawn.append("color") }
}

extension ConditionalContent: HostedView {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) {
        switch self {
        case .first(let view): pass.visit(view, node.child("first"))
        case .second(let view): pass.visit(view, node.child("second"))
        }
    }
}

extension Modified: HostedView where Content: View {
    func draw(in pass: inout DrawingPass, _ node: HostedNode) {
        pass.visit(content, node.child("content"))
        switch modifier {
        case .none: break
        case .task(let id, let action): pass.afterwards.append { Self.start(id, action, at: node) }
        case .onAppear(let action):
            if !node.hasAppeared { pass.afterwards.append(action) }
        case .onDisappear(let action): node.onDisappear = action
        case .onTap(let action): pass.taps.append(action)
        case .animation(let animation, let value):
            if let animation, let before = node.animated, !before.equals(value) {
                pass.animations.append(animation.description)
            }
            node.animated = value
        }
        node.hasAppeared = true
    }

    /// Starts a task. It runs until the view disappears or the id changes.
    @MainActor private static func start(_ id: AnyID, _ action: TaskAction, at node: HostedNode) {
        if let running = node.task, running.id.equals(id) { return }
        node.task?.running.cancel()
        node.task = (id, Task { await action.run() })
    }
}
