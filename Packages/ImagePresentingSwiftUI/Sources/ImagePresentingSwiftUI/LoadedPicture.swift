#if canImport(SwiftUI)
    import ImageCodecImageIO
    import ImageCore
    public import ImagePresenting
    public import SwiftUI

    /// What the content of a `RequestImage` is made of.
    public struct LoadedPicture {
        public var phase: ImagePhase
        /// The final picture, a preview, a placeholder or a failure picture; nil when the content is to draw something of its own.
        public var image: Image?
        /// Tries once more; does nothing but after a failure.
        public var retry: @MainActor () -> Void
    }

    /// The last picture as SwiftUI draws it: made once, however often the progress changes.
    @MainActor
    final class DrawnPicture {
        private var number: UInt64?
        private var image: Image?

        func image(of appearance: ImageAppearance) -> Image? {
            if number != appearance.pictureNumber {
                number = appearance.pictureNumber
                image = appearance.picture?.bitmap.makeCGImage().map { Image(decorative: $0, scale: 1) }
            }
            return image
        }
    }
#endif
