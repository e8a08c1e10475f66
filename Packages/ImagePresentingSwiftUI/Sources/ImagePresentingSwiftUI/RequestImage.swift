#if canImport(SwiftUI)
    import ImageCodecImageIO
    public import ImageCore
    public import ImageLoading
    public import ImagePresenting
    public import SwiftUI

    /// Shows the picture of a request, in the manner of AsyncImage: while it is there, and no longer.
    ///
    /// A picture in memory is drawn the first time that the view is. Another request takes the place of the one before at once; when the view
    /// disappears, what is on its way is cancelled.
    public struct RequestImage<Content: View>: View {
        private let request: ImageRequest
        private let content: (LoadedPicture) -> Content
        @State private var model: ImageModel
        @State private var drawn = DrawnPicture { $0.makeCGImage().map { Image(decorative: $0, scale: 1) } }

        /// - Parameter loader: the one of the first time counts, and so do the options.
        public init(
            _ request: ImageRequest, loader: ImageLoader, options: ImageBinding.Options = ImageBinding.Options(),
            @ViewBuilder content: @escaping (LoadedPicture) -> Content
        ) {
            self.request = request
            self.content = content
            _model = State(initialValue: ImageModel(loader: loader, options: options))
        }

        public var body: some View {
            let appearance = model.appearance(for: request)
            drawn.update(to: appearance)
            return content(LoadedPicture(phase: appearance.phase, image: drawn.picture) { model.retry() })
                .animation(
                    appearance.transition.seconds.map { .easeInOut(duration: $0) }, value: appearance.pictureNumber
                )
                .task(id: request) { @MainActor [model, request] in model.show(request) }
                .onDisappear { model.clear() }
        }
    }

    extension RequestImage where Content == StandardPicture {
        /// With a shimmer until there is a picture, and a failure that can be tapped to try again.
        public init(
            _ request: ImageRequest, loader: ImageLoader, options: ImageBinding.Options = ImageBinding.Options()
        ) {
            self.init(request, loader: loader, options: options) { StandardPicture(picture: $0) }
        }
    }
#endif
