public import Foundation
import Observation

// This file is not part of SwiftUI. It draws views for tests, following the documentation of SwiftUI.

/// Hosts a view. Evaluates bodies, keeps state by position, and ties tasks to their id.
///
/// Changes of state and of observed values are coalesced: the next update draws all that happened until then. Changes that
/// are made when a view appears or gets its size are drawn in the same update. `List` draws only the visible rows, and keeps
/// the state of the others.
@MainActor
public final class TestHost<Root: View>: UpdatingHost {
    /// The current content: "image" with its width, the content of texts, the names of colors and "button" with its label.
    public private(set) var drawn: [String] = []
    /// The animations and transitions since the first update, in order.
    public var animations: [String] = []
    /// Whether changes wait for an update, until it is false again.
    public var holdsUpdates = false {
        didSet { if !holdsUpdates, needsUpdate { update() } }
    }
    private let onDraw: ([String]) -> Void
    private var pass: DrawingPass
    private var root: Root
    private let node = HostedNode()
    private var isShown = true
    private var isUpdating = false
    private var needsUpdate = false

    /// Draws a view.
    ///
    /// - Parameters:
    ///   - size: The proposed size.
    ///   - rows: The rows of lists that are visible.
    ///   - onDraw: Called with the content after each update.
    public init(
        _ root: Root, size: CGSize = CGSize(width: 100, height: 100), rows: Range<Int> = 0..<10,
        environment: EnvironmentValues = EnvironmentValues(), onDraw: @escaping ([String]) -> Void = { _ in }
    ) {
        self.root = root
        self.onDraw = onDraw
        pass = DrawingPass(environment: environment, size: size, rows: rows)
        pass.host = self
        update()
    }

    /// Replaces the view, but keeps its state.
    public func update(_ root: Root) {
        self.root = root
        update()
    }

    /// Changes the proposed size.
    public func resize(_ width: CGFloat, _ height: CGFloat) {
        pass.proposal = ProposedViewSize(width: width, height: height)
        update()
    }

    /// Changes the visible rows.
    public func scroll(to rows: Range<Int>) {
        pass.rows = rows
        update()
    }

    /// Covers the view with another one, or removes it. Its state is kept.
    public func disappear() {
        isShown = false
        node.disappear()
    }

    /// Shows the view again.
    public func reappear() {
        isShown = true
        update()
    }

    /// Performs the action of a button.
    public func press(_ label: String) { pass.buttons[label]?() }

    /// Pulls to refresh.
    public func refresh() async { await pass.refresh?() }

    nonisolated func setNeedsUpdate() {
        MainActor.assumeIsolated {
            if !needsUpdate, !isUpdating { Task { if self.needsUpdate { self.update() } } }
            needsUpdate = true
        }
    }

    private func update() {
        guard isShown, !holdsUpdates else { return }
        isUpdating = true
        var rounds = 0
        repeat {
            needsUpdate = false
            evaluate()
            rounds += 1
            precondition(rounds < 20, "the view changes its state in each update")
        } while needsUpdate
        isUpdating = false
        drawn = pass.drawn
        if pass.isFirst { animations = [] }
        pass.isFirst = false
        onDraw(drawn)
    }

    private func evaluate() {
        pass.begin()
        node.unvisit()
        let host: any UpdatingHost = self
        withObservationTracking {
            pass.visit(root, node)
        } onChange: { [weak host] in
            host?.setNeedsUpdate()
        }
        node.removeUnvisited(in: &pass)
        animations += pass.animations
        for action in pass.afterwards { action() }
    }
}

protocol UpdatingHost: AnyObject, Sendable {
    func setNeedsUpdate()
}

/// A property whose value the host provides.
protocol HostedProperty {
    @MainActor func attach(to node: HostedNode, at index: Int, in pass: DrawingPass)
}

/// A node in the view tree, with its state.
@MainActor
final class HostedNode {
    var states: [Int: AnyObject] = [:]
    var task: (id: any Equatable, running: Task<Void, Never>)?
    var animated: (any Equatable)?
    var size: CGSize?
    var transition: AnyTransition?
    var onDisappear: (() -> Void)?
    var hasAppeared = false
    private var children: [String: HostedNode] = [:]
    private var isVisited = true
    private var isHidden = false

    func child(_ name: String) -> HostedNode {
        let child = children[name] ?? HostedNode()
        child.isVisited = true
        child.isHidden = false
        children[name] = child
        return child
    }

    /// Keeps the state of a row that is not visible.
    func hide(_ name: String) {
        guard let row = children[name] else { return }
        row.isVisited = true
        if !row.isHidden { row.disappear() }
        row.isHidden = true
    }

    func unvisit() {
        for child in children.values {
            child.isVisited = false
            child.unvisit()
        }
    }

    func removeUnvisited(in pass: inout DrawingPass) {
        for (name, child) in children {
            if child.isVisited {
                if !child.isHidden { child.removeUnvisited(in: &pass) }
            } else {
                children[name] = nil
                child.reportRemoval(in: &pass)
                child.disappear()
            }
        }
    }

    private func reportRemoval(in pass: inout DrawingPass) {
        if let removal = transition?.removal, !removal.isEmpty { pass.animations.append("remove " + removal) }
        for child in children.values { child.reportRemoval(in: &pass) }
    }

    func disappear() {
        task?.running.cancel()
        task = nil
        onDisappear?()
        onDisappear = nil
        hasAppeared = false
        for child in children.values { child.disappear() }
    }
}
