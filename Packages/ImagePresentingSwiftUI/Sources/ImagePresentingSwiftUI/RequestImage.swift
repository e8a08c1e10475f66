#if canImport(SwiftUI)
    import ImageCodecImageIO
    public import ImageCore
    public import ImageLoading
    public import ImagePresenting
    public import SwiftUI

    /// Shows the image of a request, in the manner of AsyncImage: while it is there, and no longer.
    ///
    /// An image in memory is drawn the first time that the view is. Another request takes the place of the one before at once; when the view
    /// disappears, what is on its way is cancelled.
    public struct RequestImage<Content: View>: View {
        private let request: ImageRequest
        private let content: (RequestImageContent) -> Content
        @State private var model: ImageModel
        @State private var drawn = DrawnImage { $0.makeCGImage().map { Image(decorative: $0, scale: 1) } }

        /// - Parameter loader: the one of the first time counts, and so do the options.
        public init(
            _ request: ImageRequest, loader: ImageLoader, options: ImageBinding.Options = ImageBinding.Options(),
            @ViewBuilder content: @escaping (RequestImageContent) -> Content
        ) {
            self.request = request
            self.content = content
            _model = State(initialValue: ImageModel(loader: loader, options: options))
        }

        public var body: some View {
            let appearance = model.appearance(for: request)
            drawn.update(to: appearance)
            return content(RequestImageContent(phase: appearance.phase, image: drawn.image) { model.retry() })
                .animation(
                    appearance.transition.seconds.map { .easeInOut(duration: $0) }, value: appearance.imageNumber
                )
                .task(id: request) { @MainActor [model, request] in model.show(request) }
                .onDisappear { model.clear() }
        }
    }

    extension RequestImage where Content == StandardImageContent {
        /// With a shimmer until there is an image, and a failure that can be tapped to try again.
        public init(
            _ request: ImageRequest, loader: ImageLoader, options: ImageBinding.Options = ImageBinding.Options()
        ) {
            self.init(request, loader: loader, options: options) { StandardImageContent(image: $0) }
        }
    }
#endif
