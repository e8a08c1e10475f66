#if canImport(SwiftUI)
    import ImageCodecImageIO
    public import ImageCore
    import ImagePresenting
    public import SwiftUI

    /// What a `LoadingImage` shows, with the cases of `AsyncImagePhase`.
    public enum LoadingImagePhase {
        /// The image is loading, or will be when the view appears.
        case empty(Waiting)
        /// The image is loaded.
        case success(Image)
        /// The image could not be loaded.
        case failure(Failure)

        /// What there is until the image is loaded.
        public struct Waiting {
            /// The progress of the download; nil until the first bytes arrive.
            public let progress: WorkProgress?
            /// A preview, the previous image or the placeholder of the request.
            public let image: Image?
        }

        /// The reason why an image could not be loaded.
        public struct Failure: Error, CustomStringConvertible, LocalizedError {
            /// The error of the loader.
            public let error: ImageError
            /// The failure image of the request, or what was shown before.
            public let image: Image?
            fileprivate let action: @MainActor () -> Void

            public var errorDescription: String? { description }
            public var description: String { error.description }
        }

        /// The image to show, which may be a preview or a placeholder; nil if the content draws its own.
        public var image: Image? {
            switch self {
            case .empty(let waiting): waiting.image
            case .success(let image): image
            case .failure(let failure): failure.image
            }
        }

        /// The error of the loader, or `nil` if there is none.
        public var error: ImageError? { if case .failure(let failure) = self { failure.error } else { nil } }

        /// The fraction of the bytes that are loaded, from 0 to 1; nil if it is unknown.
        public var fraction: Double? { if case .empty(let waiting) = self { waiting.progress?.fraction } else { nil } }

        /// Loads the image again after a failure. Has no effect otherwise.
        @MainActor public func retry() { if case .failure(let failure) = self { failure.action() } }
    }

    /// What the content of a `LoadingImage` is made of.
    @MainActor
    struct LoadingImageState {
        let appearance: ImageAppearance
        let scale: CGFloat
        /// The label for accessibility; nil if the image is decorative.
        let label: Text?
        let contentMode: ContentMode
        /// The transition of images that are not in memory.
        let configuredTransition: ImageTransition
        let reducesMotion: Bool
        let retry: @MainActor () -> Void

        var phase: LoadingImagePhase {
            switch appearance.phase {
            case .idle: .empty(.init(progress: nil, image: image))
            case .loading(let progress): .empty(.init(progress: progress, image: image))
            case .success: image.map { .success($0) } ?? .empty(.init(progress: nil, image: nil))
            case .failure(let error): .failure(.init(error: error, image: image, action: retry))
            }
        }

        var image: Image? {
            guard let bitmap = appearance.image?.bitmap, let image = bitmap.cgImage else { return nil }
            let drawn =
                label.map { Image(image, scale: scale, label: $0) } ?? Image(decorative: image, scale: scale)
            #if os(watchOS)
                return drawn
            #else
                return drawn.allowedDynamicRange(bitmap.hdr == nil ? .standard : .high)
            #endif
        }

        /// Identifies the view that shows the image. A new one has a transition. Frames of an animation have the same.
        var viewID: UInt64 { appearance.isAnimating ? 0 : appearance.imageVersion }

        /// The transition of the image. It animates the insertion and removal of images, and nothing else of the content.
        var transition: AnyTransition {
            .asymmetric(insertion: fade(appearance.transition.seconds), removal: removal)
        }

        /// The transition of what a new image replaces. It is known before there is a new image.
        var removal: AnyTransition {
            if case .crossDissolve = configuredTransition { fade(configuredTransition.seconds) } else { .identity }
        }

        private func fade(_ seconds: Double?) -> AnyTransition {
            guard let seconds, !reducesMotion else { return .identity }
            // SwiftUI declares this constant `nonisolated(unsafe)`.
            return unsafe .opacity.animation(.easeInOut(duration: seconds))
        }
    }
#endif
