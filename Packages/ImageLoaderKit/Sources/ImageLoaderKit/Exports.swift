// One import provides the loader and the types of its requests, results and options.
@_exported public import HTTPTypes
@_exported public import ImageCore
@_exported public import ImageLoading
@_exported public import ImageProcessing
@_exported public import ImageTransporting

#if canImport(ImageIO)
    @_exported public import ImageCodecImageIO
#endif
