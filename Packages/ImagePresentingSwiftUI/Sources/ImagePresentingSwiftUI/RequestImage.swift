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
        ///   - request: The request to load.
        ///   - loader: Loads the image. Ignored after the first update of the view.
        ///   - options: The options of the binding. Ignored after the first update of the view.
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
#endif
