// One import provides the loader, and the types of its requests, results and options. Whole modules, because with the
// feature MemberImportVisibility a type alias doesn't make the members of its type visible.
@_exported public import HTTPTypes
@_exported public import ImageCore
@_exported public import ImageDecoding
@_exported public import ImageDiskCaching
@_exported public import ImageHTTPCaching
@_exported public import ImageLoading
@_exported public import ImageMemoryCaching
@_exported public import ImageProcessing
@_exported public import ImageTransporting

#if canImport(ImageIO)
    @_exported public import ImageCodecImageIO
#else
    @_exported public import ImageDecodingIsolation
#endif
