#if GTK
// Code with widgets calls GTK, too.
@_exported public import CLibGTK
#endif
