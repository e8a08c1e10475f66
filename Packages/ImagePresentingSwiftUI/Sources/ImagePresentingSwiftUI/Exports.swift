#if canImport(SwiftUI)
    // The options, phases and transitions of views.
    @_exported public import ImagePresenting
#endif
