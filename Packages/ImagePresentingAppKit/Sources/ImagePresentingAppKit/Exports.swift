#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    // The options, phases and transitions of views.
    @_exported public import ImagePresenting
#endif
