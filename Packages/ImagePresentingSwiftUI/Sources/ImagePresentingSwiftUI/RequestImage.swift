#if canImport(SwiftUI)
    import ImageCodecImageIO
    public import ImageCore
    public import ImagePresenting
    public import SwiftUI

    /// A view that loads and shows the image of a request, similar to `AsyncImage`.
    ///
    /// An image in memory is drawn in the first update of the view. A new request immediately replaces the previous
    /// one. The request is cancelled when the view disappears.
    public struct RequestImage<Content: View>: View {
        private let request: ImageRequest
        private let content: (RequestImageContent) -> Content
        @State private var model: ImageModel
        @State private var converter = PlatformImageConverter {
            $0.makeCGImage().map { Image(decorative: $0, scale: 1) }
        }

        /// Creates a view with custom content.
        ///
        /// - Parameters:
        ///   - loader: Loads the image. Ignored after the first update of the view, like `options`.
        ///   - content: Returns the content for each phase.
        public init(
            _ request: ImageRequest, loader: any ImageLoaderProtocol,
            options: ImageBinding.Options = ImageBinding.Options(),
            @ViewBuilder content: @escaping (RequestImageContent) -> Content
        ) {
            self.request = request
            self.content = content
            _model = State(initialValue: ImageModel(loader: loader, options: options))
        }

        /// The content of the view.
        public var body: some View {
            let appearance = model.appearance(for: request)
            converter.update(to: appearance)
            return content(RequestImageContent(phase: appearance.phase, image: converter.image) { model.retry() })
                .animation(
                    appearance.transition.seconds.map { .easeInOut(duration: $0) }, value: appearance.imageVersion
                )
                .task(id: request) { @MainActor [model, request] in model.show(request) }
                .onDisappear { model.clear() }
        }
    }

    extension RequestImage where Content == StandardImageContent {
        /// Creates a view with a shimmer as the placeholder, and a retry symbol after a failure.
        public init(
            _ request: ImageRequest, loader: any ImageLoaderProtocol,
            options: ImageBinding.Options = ImageBinding.Options()
        ) {
            self.init(request, loader: loader, options: options) { StandardImageContent(image: $0) }
        }
    }

    /// The input for the content of a `RequestImage`.
    public struct RequestImageContent {
        /// The phase of loading.
        public var phase: ImagePhase
        /// The image to show; nil if the content should draw its own placeholder.
        public var image: Image?
        /// Loads the image again after a failure.
        public var retry: @MainActor () -> Void
    }

    /// The standard content: the image, a shimmer while it loads, or a retry symbol after a failure.
    public struct StandardImageContent: View {
        let image: RequestImageContent

        /// The content of the view.
        public var body: some View {
            if let image = image.image {
                image.resizable()
            } else if image.phase.isFailure {
                Text(verbatim: "\u{21BB}").onTapGesture { image.retry() }
            } else {
                Shimmer()
            }
        }
    }

    /// A pulsing gray placeholder. With reduced motion, it does not pulse.
    struct Shimmer: View {
        @Environment(\.accessibilityReduceMotion) private var reducesMotion
        @State private var isBright = false

        var body: some View {
            Color.gray
                .opacity(isBright ? 0.1 : 0.25)
                .animation(.easeInOut(duration: 0.8).repeatForever(), value: isBright)
                .onAppear { isBright = !reducesMotion }
        }
    }
#endif
