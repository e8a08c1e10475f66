public import Foundation

/// A protocol with more schedules in SwiftUI. https://developer.apple.com/documentation/swiftui/timelineschedule
public protocol TimelineSchedule {}

/// https://developer.apple.com/documentation/swiftui/animationtimelineschedule
public struct AnimationTimelineSchedule: TimelineSchedule, Sendable {
    let paused: Bool
}

extension TimelineSchedule where Self == AnimationTimelineSchedule {
    /// https://developer.apple.com/documentation/swiftui/timelineschedule/animation(minimuminterval:paused:)
    public static func animation(minimumInterval: Double? = nil, paused: Bool = false) -> AnimationTimelineSchedule {
        AnimationTimelineSchedule(paused: paused)
    }
}

/// `TimelineView<EveryMinuteTimelineSchedule, Never>.Context` in SwiftUI.
/// https://developer.apple.com/documentation/swiftui/timelineviewdefaultcontext
public struct TimelineViewDefaultContext {
    /// https://developer.apple.com/documentation/swiftui/timelineview/context/date
    public let date: Date
}

/// https://developer.apple.com/documentation/swiftui/timelineview
nonisolated public struct TimelineView<Schedule: TimelineSchedule, Content: View>: View, PrimitiveView, HostedView {
    private let schedule: Schedule
    private let content: (TimelineViewDefaultContext) -> Content

    /// https://developer.apple.com/documentation/swiftui/timelineview/init(_:content:)
    public init(
        _ schedule: Schedule, @ViewBuilder content: @escaping (TimelineViewDefaultContext) -> Content
    ) {
        self.schedule = schedule
        self.content = content
    }

    @MainActor func draw(in pass: inout DrawingPass, _ node: HostedNode) {
        pass.runsTimeline = (schedule as? AnimationTimelineSchedule)?.paused == false
        pass.visit(content(TimelineViewDefaultContext(date: pass.date)), node.child("timeline"))
    }
}
