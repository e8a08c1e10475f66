// `Data`, `Date` and `URL` are in the signatures of all modules. With FoundationEssentials, programs on Linux start without
// the Unicode data of Foundation.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
