// The dictionary keys of ImageIO. Each value is the name of the key.
public import CoreGraphics

/// https://developer.apple.com/documentation/imageio/kcgimagesourceshouldcache
public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
/// https://developer.apple.com/documentation/imageio/kcgimagesourceshouldcacheimmediately
public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"
/// https://developer.apple.com/documentation/imageio/kcgimagesourcecreatethumbnailfromimagealways
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = "kCGImageSourceCreateThumbnailFromImageAlways"
/// https://developer.apple.com/documentation/imageio/kcgimagesourcecreatethumbnailwithtransform
public let kCGImageSourceCreateThumbnailWithTransform: CFString = "kCGImageSourceCreateThumbnailWithTransform"
/// https://developer.apple.com/documentation/imageio/kcgimagesourcethumbnailmaxpixelsize
public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"
/// https://developer.apple.com/documentation/imageio/kcgimagedestinationlossycompressionquality
public let kCGImageDestinationLossyCompressionQuality: CFString = "kCGImageDestinationLossyCompressionQuality"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertypixelwidth
public let kCGImagePropertyPixelWidth: CFString = "kCGImagePropertyPixelWidth"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertypixelheight
public let kCGImagePropertyPixelHeight: CFString = "kCGImagePropertyPixelHeight"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyorientation
public let kCGImagePropertyOrientation: CFString = "kCGImagePropertyOrientation"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyhasalpha
public let kCGImagePropertyHasAlpha: CFString = "kCGImagePropertyHasAlpha"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertygifdictionary
public let kCGImagePropertyGIFDictionary: CFString = "kCGImagePropertyGIFDictionary"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertygifdelaytime
public let kCGImagePropertyGIFDelayTime: CFString = "kCGImagePropertyGIFDelayTime"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertygifunclampeddelaytime
public let kCGImagePropertyGIFUnclampedDelayTime: CFString = "kCGImagePropertyGIFUnclampedDelayTime"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertygifloopcount
public let kCGImagePropertyGIFLoopCount: CFString = "kCGImagePropertyGIFLoopCount"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertypngdictionary
public let kCGImagePropertyPNGDictionary: CFString = "kCGImagePropertyPNGDictionary"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyapngdelaytime
public let kCGImagePropertyAPNGDelayTime: CFString = "kCGImagePropertyAPNGDelayTime"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyapngunclampeddelaytime
public let kCGImagePropertyAPNGUnclampedDelayTime: CFString = "kCGImagePropertyAPNGUnclampedDelayTime"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyapngloopcount
public let kCGImagePropertyAPNGLoopCount: CFString = "kCGImagePropertyAPNGLoopCount"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertypnginterlacetype
public let kCGImagePropertyPNGInterlaceType: CFString = "kCGImagePropertyPNGInterlaceType"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertywebpdictionary
public let kCGImagePropertyWebPDictionary: CFString = "kCGImagePropertyWebPDictionary"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertywebpunclampeddelaytime
public let kCGImagePropertyWebPUnclampedDelayTime: CFString = "kCGImagePropertyWebPUnclampedDelayTime"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertywebploopcount
public let kCGImagePropertyWebPLoopCount: CFString = "kCGImagePropertyWebPLoopCount"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyjfifdictionary
public let kCGImagePropertyJFIFDictionary: CFString = "kCGImagePropertyJFIFDictionary"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyjfifisprogressive
public let kCGImagePropertyJFIFIsProgressive: CFString = "kCGImagePropertyJFIFIsProgressive"
/// https://developer.apple.com/documentation/imageio/kcgimagesourcedecoderequest
public let kCGImageSourceDecodeRequest: CFString = "kCGImageSourceDecodeRequest"
/// https://developer.apple.com/documentation/imageio/kcgimagesourcedecodetosdr
public let kCGImageSourceDecodeToSDR: CFString = "kCGImageSourceDecodeToSDR"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyfilecontentsdictionary
public let kCGImagePropertyFileContentsDictionary: CFString = "kCGImagePropertyFileContentsDictionary"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyimages
public let kCGImagePropertyImages: CFString = "kCGImagePropertyImages"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyauxiliarydata
public let kCGImagePropertyAuxiliaryData: CFString = "kCGImagePropertyAuxiliaryData"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyauxiliarydatatype
public let kCGImagePropertyAuxiliaryDataType: CFString = "kCGImagePropertyAuxiliaryDataType"
/// https://developer.apple.com/documentation/imageio/kcgimageauxiliarydatatypehdrgainmap
public let kCGImageAuxiliaryDataTypeHDRGainMap: CFString = "kCGImageAuxiliaryDataTypeHDRGainMap"
/// https://developer.apple.com/documentation/imageio/kcgimageauxiliarydatatypeisogainmap
public let kCGImageAuxiliaryDataTypeISOGainMap: CFString = "kCGImageAuxiliaryDataTypeISOGainMap"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyheicsdictionary
public let kCGImagePropertyHEICSDictionary: CFString = "kCGImagePropertyHEICSDictionary"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyheicsunclampeddelaytime
public let kCGImagePropertyHEICSUnclampedDelayTime: CFString = "kCGImagePropertyHEICSUnclampedDelayTime"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyheicsdelaytime
public let kCGImagePropertyHEICSDelayTime: CFString = "kCGImagePropertyHEICSDelayTime"
/// https://developer.apple.com/documentation/imageio/kcgimagepropertyheicsloopcount
public let kCGImagePropertyHEICSLoopCount: CFString = "kCGImagePropertyHEICSLoopCount"
