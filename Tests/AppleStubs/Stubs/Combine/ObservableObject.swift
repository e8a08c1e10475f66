// A module of its own, because SwiftUI imports Combine without exporting it: its members are only visible to files that
// import it (SE-0444).

public protocol ObservableObject: AnyObject {
    /// Also a `Publisher` in Combine.
    associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    public var objectWillChange: ObservableObjectPublisher { ObservableObjectPublisher() }
}

public final class ObservableObjectPublisher {
    public init() {}
}
