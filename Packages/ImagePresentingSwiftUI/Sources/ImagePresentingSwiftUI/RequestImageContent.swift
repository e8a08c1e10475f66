#if canImport(SwiftUI)
    public import ImagePresenting
    public import SwiftUI

    /// What the content of a `RequestImage` is made of.
    public struct RequestImageContent {
        public var phase: ImagePhase
        /// The final image, a preview, a placeholder or a failure image; nil when the content is to draw something of its own.
        public var image: Image?
        /// Tries once more; does nothing but after a failure.
        public var retry: @MainActor () -> Void
    }
#endif
