// All modules have `Data`, `Date` and `URL` in their signatures. On Linux, they do without the rest of Foundation.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
