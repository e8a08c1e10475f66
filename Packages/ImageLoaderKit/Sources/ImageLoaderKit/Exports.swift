// One import provides the loader and the types of its requests and results.
@_exported public import ImageCore
@_exported public import ImageLoading
@_exported public import ImageProcessing

#if canImport(ImageIO)
    @_exported public import ImageCodecImageIO
#endif
