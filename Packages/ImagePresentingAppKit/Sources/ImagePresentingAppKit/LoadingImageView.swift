#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit
    public import Foundation
    import ImageCodecImageIO
    public import ImageCore
    public import ImagePresenting

    /// A view that loads and shows an image, and plays it if it is animated. Call `cancelLoading()` when a view of a
    /// collection or table is reused.
    ///
    /// It draws in its layer, because an `NSImageView` can't fill its bounds. The image is decoded to the size of the view,
    /// at the scale of its window, unless the request has a target. If the view grows, a larger image is loaded.
    open class LoadingImageView: NSView, ImageSurface {
        /// Whether the image fills the view and is cropped, or fits. Initially it fits.
        public var contentMode = ImageTarget.Mode.fit {
            didSet { layer?.contentsGravity = contentMode == .fill ? .resizeAspectFill : .resizeAspect }
        }
        /// A description of the image for accessibility. Without one, the image is decorative.
        public var imageLabel: String? {
            didSet {
                setAccessibilityElement(imageLabel != nil)
                setAccessibilityRole(.image)
                setAccessibilityLabel(imageLabel)
            }
        }
        /// Called with each appearance after the image is set, for example to show progress or a retry button.
        public var onRender: (ImageAppearance) -> Void = { _ in }
        /// Plays the image if it is animated.
        var animations = SharedAnimations.ofApp
        private lazy var binding = ViewBinding(surface: self) { _ = $0.cgImage }
        private var drawnVersion: UInt64?

        /// Creates a view without an image.
        public override init(frame: CGRect) {
            super.init(frame: frame)
            setUp()
        }

        /// Creates a view from an archive, without an image.
        public required init?(coder: NSCoder) {
            super.init(coder: coder)
            setUp()
        }

        private func setUp() {
            wantsLayer = true
            layer?.contentsGravity = .resizeAspect
            layer?.masksToBounds = true
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
            needsLayout = true
        }

        /// Removes the image and cancels the request.
        public func cancelLoading() { binding.unbind() }

        /// Loads the image again after a failure, from the server even if a response such as 404 is stored.
        public func retryLoading() { binding.retry() }

        /// Loads a larger image if the view has grown.
        open override func layout() {
            super.layout()
            binding.layOut(in: space)
        }

        /// Loads a larger image if the window is on a display with a larger scale.
        open override func viewDidChangeBackingProperties() {
            super.viewDidChangeBackingProperties()
            needsLayout = true
        }

        /// Updates the visibility. In a window, the image loads at the priority of the request; outside of one, as the
        /// options specify.
        open override func viewDidMoveToWindow() {
            super.viewDidMoveToWindow()
            binding.clock = window == nil ? nil : animations.clock
            binding.isVisible = window != nil
            needsLayout = true
        }

        private var space: ViewSpace {
            let scale = Double(window?.backingScaleFactor ?? 1)
            return ViewSpace(points: (bounds.width, bounds.height), scale: scale, mode: contentMode)
        }

        /// Sets the image of an appearance, with its transition. Called by the binding, also for each frame of an
        /// animation.
        public func render(_ appearance: ImageAppearance) {
            if drawnVersion != appearance.imageVersion {
                drawnVersion = appearance.imageVersion
                if let seconds = appearance.transition.seconds,
                    !NSWorkspace.shared.accessibilityDisplayShouldReduceMotion
                {
                    let fade = CATransition()
                    fade.duration = seconds
                    layer?.add(fade, forKey: "fade")
                }
                let bitmap = appearance.image?.bitmap
                layer?.wantsExtendedDynamicRangeContent = bitmap?.hdr != nil
                layer?.contents = bitmap?.cgImage
            }
            onRender(appearance)
        }
    }
#endif
