#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit
    import Foundation
    import ImageCodecImageIO
    public import ImageCore

    extension LoadedImage {
        /// The image for AppKit, with one point per pixel; nil if it is empty.
        public var nsImage: NSImage? { bitmap.cgImage.map { NSImage(cgImage: $0, size: .zero) } }
    }
#endif
