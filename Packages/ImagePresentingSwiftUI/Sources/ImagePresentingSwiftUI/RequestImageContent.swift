#if canImport(SwiftUI)
    public import ImagePresenting
    public import SwiftUI

    /// The input for the content of a `RequestImage`.
    public struct RequestImageContent {
        /// The phase of loading.
        public var phase: ImagePhase
        /// The final image, a preview, a placeholder or a failure image. `nil` if the content should draw its own
        /// placeholder.
        public var image: Image?
        /// Loads the image again after a failure, from the origin even if a response such as 404 is stored. Has no effect
        /// otherwise.
        public var retry: @MainActor () -> Void
    }
#endif
