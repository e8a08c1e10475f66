#if canImport(UIKit) && !os(watchOS)
    import ImageCodecImageIO
    public import ImageCore
    public import UIKit

    extension LoadedImage {
        /// The image for UIKit, with a scale of 1 and upright; nil if it is empty.
        public var uiImage: UIImage? { bitmap.cgImage.map { UIImage(cgImage: $0, scale: 1, orientation: .up) } }
    }
#endif
