#if canImport(ImageIO)
    public import CoreGraphics
    public import ImageCore

    extension LoadedImage {
        /// The Core Graphics image. See `Bitmap.cgImage`. **Never compiled with Apple's SDK.**
        public var cgImage: CGImage? { bitmap.cgImage }
    }
#endif
