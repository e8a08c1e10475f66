#if canImport(UIKit)
    import ImageCodecImageIO
    public import ImageCore
    public import ImagePresenting
    public import UIKit

    /// An image view that loads its image. Call `cancelLoading()` in `prepareForReuse` of a cell.
    open class LoadingImageView: UIImageView, ImageSurface {
        /// Called with each appearance after the image is set, for example to show progress or a retry button.
        public var onRender: (ImageAppearance) -> Void = { _ in }
        private lazy var binding = ViewBinding(surface: self)
        private let converter = PlatformImageConverter { $0.makeCGImage().map(UIImage.init(cgImage:)) }

        /// Shows the image of a request. An image in memory is set before this method returns.
        ///
        /// - Parameter options: The options of the binding. They are ignored unless the loader has changed.
        public func load(
            _ request: ImageRequest, with loader: any ImageLoaderProtocol & AnyObject,
            options: ImageBinding.Options = ImageBinding.Options()
        ) {
            binding.isVisible = window != nil
            binding.bind(request, with: loader, options: options)
        }

        /// Removes the image and cancels the request.
        public func cancelLoading() { binding.unbind() }

        /// Loads the image again after a failure, from the origin even if a response such as 404 is stored.
        public func retryLoading() { binding.retry() }

        /// Updates the visibility. In a window, the image loads at the priority of the request; outside of one, as the
        /// options specify.
        open override func didMoveToWindow() {
            super.didMoveToWindow()
            binding.isVisible = window != nil
        }

        /// Sets the image of an appearance, with its transition. Called by the binding.
        public func render(_ appearance: ImageAppearance) {
            if converter.update(to: appearance) { draw(converter.image, appearance.transition) }
            onRender(appearance)
        }

        private func draw(_ newImage: UIImage?, _ transition: ImageTransition) {
            switch transition {
            case .none: image = newImage
            case .fadeIn(let duration):
                image = newImage
                alpha = 0
                UIView.animate(withDuration: duration / .seconds(1)) { self.alpha = 1 }
            case .crossDissolve(let duration):
                UIView.transition(with: self, duration: duration / .seconds(1), options: .transitionCrossDissolve) {
                    self.image = newImage
                }
            }
        }
    }
#endif
