#if canImport(SwiftUI)
    import Combine
    import ImageCodecImageIO
    import ImageCore
    import ImagePresenting
    import SwiftUI

    /// The model of a view, which is created once for each view and loader, and not for each update.
    @MainActor
    final class ImageModelStore: ObservableObject {
        /// The size of the view's image.
        var target = ViewTarget()
        private(set) var model: ImageModel?
        private var loader: (any ImageLoaderProtocol)?

        nonisolated init() {}

        func model(
            for loader: any ImageLoaderProtocol, _ options: ImageBinding.Options, _ clock: AnimationClock?
        ) -> ImageModel {
            if let model, self.loader === loader {
                model.options = options
                return model
            }
            let model = ImageModel(loader: loader, options: options, clock: clock)
            model.prepare = { _ = $0.cgImage }
            self.model = model
            self.loader = loader
            return model
        }

        func show(_ request: ImageRequest?) {
            if let request { model?.show(request) } else { model?.clear() }
        }
    }
#endif
