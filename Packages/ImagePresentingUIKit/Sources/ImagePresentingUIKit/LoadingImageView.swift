#if canImport(UIKit) && !os(watchOS)
    public import Foundation
    import ImageCodecImageIO
    public import ImageCore
    public import ImagePresenting
    public import UIKit

    /// An image view that loads its image, and plays it if it is animated. Call `cancelLoading()` in `prepareForReuse` of
    /// a cell.
    ///
    /// The image is decoded to the size of the view, at the scale of the display, unless the request has a target. If the
    /// view grows, a larger image is loaded. With the content mode `.scaleAspectFill`, the image fills the view.
    open class LoadingImageView: UIImageView, ImageSurface {
        /// Called with each appearance after the image is set, for example to show progress or a retry button.
        public var onRender: (ImageAppearance) -> Void = { _ in }
        private lazy var binding = ViewBinding(surface: self) { _ = $0.cgImage }
        /// Whether Smart Invert leaves the image as it is. Initially true.
        open override var accessibilityIgnoresInvertColors: Bool {
            get { ignoresInvertColors }
            set { ignoresInvertColors = newValue }
        }
        private var ignoresInvertColors = true
        /// Plays the image if it is animated.
        var animations = SharedAnimations.ofApp
        private var drawnVersion: UInt64?

        /// A description of the image for accessibility. Without one, the image is decorative.
        open override var accessibilityLabel: String? {
            didSet { isAccessibilityElement = accessibilityLabel != nil }
        }

        /// Shows the image at a URL. Otherwise like `load(_:with:options:)` of a request.
        public func load(
            _ url: URL?, with loader: any ImageLoaderProtocol,
            options: ImageBinding.Options = ImageBinding.Options()
        ) {
            load(url.map { ImageRequest(url: $0) }, with: loader, options: options)
        }

        /// Shows the image of a request, or none. An image in memory is set before this method returns, if the view has
        /// its size.
        ///
        /// - Parameters:
        ///   - request: The image; nil for none.
        ///   - loader: Loads the image. The view holds it until it shows another.
        ///   - options: The transition and more.
        public func load(
            _ request: ImageRequest?, with loader: any ImageLoaderProtocol,
            options: ImageBinding.Options = ImageBinding.Options()
        ) {
            binding.isVisible = window != nil
            binding.load(request, with: loader, options: options, in: space)
            setNeedsLayout()
        }

        /// Removes the image and cancels the request.
        public func cancelLoading() { binding.unbind() }

        /// Loads the image again after a failure, from the server even if a response such as 404 is stored.
        public func retryLoading() { binding.retry() }

        /// Loads a larger image if the view has grown.
        open override func layoutSubviews() {
            super.layoutSubviews()
            binding.layOut(in: space)
        }

        /// Updates the visibility. In a window, the image loads at the priority of the request; outside of one, as the
        /// options specify.
        open override func didMoveToWindow() {
            super.didMoveToWindow()
            binding.clock = window == nil ? nil : animations.clock
            binding.isVisible = window != nil
        }

        private var space: ViewSpace {
            ViewSpace(
                points: (bounds.width, bounds.height), scale: displayScale,
                mode: contentMode == .scaleAspectFill ? .fill : .fit)
        }

        /// The scale of the display. 0 means that it isn't known yet.
        private var displayScale: CGFloat { max(1, traitCollection.displayScale) }

        // MARK: Drawing

        /// Sets the image of an appearance, with its transition. Called by the binding, also for each frame of an
        /// animation.
        public func render(_ appearance: ImageAppearance) {
            if drawnVersion != appearance.imageVersion {
                drawnVersion = appearance.imageVersion
                let bitmap = appearance.image?.bitmap
                let cgImage = bitmap?.cgImage
                preferredImageDynamicRange = bitmap?.hdr == nil ? .standard : .high
                draw(cgImage.map { UIImage(cgImage: $0, scale: displayScale, orientation: .up) }, appearance.transition)
            }
            onRender(appearance)
        }

        private func draw(_ newImage: UIImage?, _ transition: ImageTransition) {
            guard let seconds = transition.seconds, !UIAccessibility.isReduceMotionEnabled else {
                image = newImage
                return
            }
            if case .crossDissolve = transition {
                UIView.transition(
                    with: self, duration: seconds, options: [.transitionCrossDissolve, .allowUserInteraction]
                ) { self.image = newImage }
            } else {
                image = newImage
                // From transparent to the layer's own opacity, which stays as it is.
                let fade = CABasicAnimation(keyPath: "opacity")
                fade.fromValue = 0
                fade.duration = seconds
                layer.add(fade, forKey: "fadeIn")
            }
        }
    }
#endif
