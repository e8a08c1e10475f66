// A module of its own, because SwiftUI imports Combine without exporting it: its members are only visible to files that
// import it (SE-0444).

/// https://developer.apple.com/documentation/combine/observableobject
public protocol ObservableObject: AnyObject {
    /// Also a `Publisher` in Combine.
    /// https://developer.apple.com/documentation/combine/observableobject/objectwillchangepublisher
    associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
    /// https://developer.apple.com/documentation/combine/observableobject/objectwillchange
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// https://developer.apple.com/documentation/combine/observableobject/objectwillchange-5gopl
    public var objectWillChange: ObservableObjectPublisher { ObservableObjectPublisher() }
}

/// https://developer.apple.com/documentation/combine/observableobjectpublisher
public final class ObservableObjectPublisher {
    /// https://developer.apple.com/documentation/combine/observableobjectpublisher/init()
    public init() {}
}
