#if canImport(ImageIO)
    public import CoreGraphics
    public import ImageCore

    extension LoadedImage {
        /// Creates a Core Graphics image with a copy of the pixels. **Never compiled with Apple's SDK.**
        public func makeCGImage() -> CGImage? { bitmap.makeCGImage() }
    }
#endif
