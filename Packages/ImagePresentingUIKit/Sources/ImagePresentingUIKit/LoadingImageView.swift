#if canImport(UIKit)
    import ImageCodecImageIO
    public import ImageCore
    public import ImageLoading
    public import ImagePresenting
    public import UIKit

    /// An image view that loads its image, and stops when it is told: in `prepareForReuse` of the cell, for one.
    open class LoadingImageView: UIImageView, ImageSurface {
        /// Told each appearance after the image is drawn: for a spinner, a placeholder, a retry button.
        public var onRender: (ImageAppearance) -> Void = { _ in }
        private lazy var binding = ViewBinding(surface: self)
        private let drawn = DrawnImage { $0.makeCGImage().map(UIImage.init(cgImage:)) }

        /// Shows the image of a request: before this returns if it is in memory.
        ///
        /// - Parameter options: those of the first call count, as long as the loader stays the same.
        public func load(
            _ request: ImageRequest, with loader: ImageLoader, options: ImageBinding.Options = ImageBinding.Options()
        ) {
            binding.bind(request, with: loader, options: options)
        }

        /// Shows nothing, and cancels what was on its way.
        public func cancelLoading() { binding.unbind() }

        /// Tries once more, after a failure.
        public func retryLoading() { binding.retry() }

        /// In a window an image is loaded at the request's priority; outside of one, as the options say.
        open override func didMoveToWindow() {
            super.didMoveToWindow()
            binding.isVisible = window != nil
        }

        public func render(_ appearance: ImageAppearance) {
            if drawn.update(to: appearance) { draw(drawn.image, appearance.transition) }
            onRender(appearance)
        }

        private func draw(_ newImage: UIImage?, _ transition: ImageTransition) {
            switch transition {
            case .none: image = newImage
            case .fadeIn(let duration):
                (image, alpha) = (newImage, 0)
                UIView.animate(withDuration: duration / .seconds(1)) { self.alpha = 1 }
            case .crossDissolve(let duration):
                UIView.transition(with: self, duration: duration / .seconds(1), options: .transitionCrossDissolve) {
                    self.image = newImage
                }
            }
        }
    }
#endif
