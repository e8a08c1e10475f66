#if GTK
// Code with widgets calls GTK, too.
@_exported public import CLibGTK
// The options, phases and transitions of widgets.
@_exported public import ImagePresenting
#endif
