#if canImport(UIKit) && !os(watchOS)
    // The options, phases and transitions of views.
    @_exported public import ImagePresenting
#endif
