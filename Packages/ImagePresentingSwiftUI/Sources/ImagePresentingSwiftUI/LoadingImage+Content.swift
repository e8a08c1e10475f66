#if canImport(SwiftUI)
    public import Foundation
    public import ImageCore
    public import ImagePresenting
    public import SwiftUI

    extension LoadingImage {
        /// Creates a view with content for each phase. The content animates itself.
        ///
        /// - Parameters:
        ///   - request: The image; nil for none yet.
        ///   - contentMode: How the content resizes the image, so that it is decoded to that size. `.fill` crops it.
        ///   - label: Describes the image for accessibility; nil if it is decorative.
        ///   - options: What the view does. `transition` and `loadsBeforeVisible` have no effect.
        ///   - content: Returns the content for a phase.
        public init(
            _ request: ImageRequest?, contentMode: ContentMode = .fit, label: Text? = nil,
            options: ImageBinding.Options = ImageBinding.Options(),
            @ViewBuilder content: @escaping (LoadingImagePhase) -> Content
        ) {
            self.init(request, contentMode, label, options) { content($0.phase) }
        }

        /// Creates a view with content for each phase. Otherwise like `init(_:contentMode:label:options:content:)` of a
        /// request.
        public init(
            _ url: URL?, contentMode: ContentMode = .fit, label: Text? = nil,
            options: ImageBinding.Options = ImageBinding.Options(),
            @ViewBuilder content: @escaping (LoadingImagePhase) -> Content
        ) {
            self.init(
                url.map { ImageRequest(url: $0) }, contentMode: contentMode, label: label, options: options,
                content: content)
        }

        /// Creates a view with content for an image, and a placeholder while there is none. Previews and placeholders of
        /// the request are images, too.
        ///
        /// - Parameters:
        ///   - request: The image; nil for none yet.
        ///   - contentMode: How the content resizes the image, so that it is decoded to that size. `.fill` crops it.
        ///   - label: Describes the image for accessibility; nil if it is decorative.
        ///   - options: The transition and more. `loadsBeforeVisible` has no effect.
        ///   - content: Returns the content for an image.
        ///   - placeholder: Returns what is shown while there is none.
        public init<Loaded: View, Placeholder: View>(
            _ request: ImageRequest?, contentMode: ContentMode = .fit, label: Text? = nil,
            options: ImageBinding.Options = ImageBinding.Options(),
            @ViewBuilder content: @escaping (Image) -> Loaded,
            @ViewBuilder placeholder: @escaping () -> Placeholder
        ) where Content == ImageOrPlaceholder<Loaded, Placeholder> {
            self.init(request, contentMode, label, options) { state in
                ImageOrPlaceholder(state: state, content: content, placeholder: placeholder)
            }
        }

        /// Creates a view with content for an image, and a placeholder while there is none. Otherwise like
        /// `init(_:contentMode:label:options:content:placeholder:)` of a request.
        public init<Loaded: View, Placeholder: View>(
            _ url: URL?, contentMode: ContentMode = .fit, label: Text? = nil,
            options: ImageBinding.Options = ImageBinding.Options(),
            @ViewBuilder content: @escaping (Image) -> Loaded,
            @ViewBuilder placeholder: @escaping () -> Placeholder
        ) where Content == ImageOrPlaceholder<Loaded, Placeholder> {
            self.init(
                url.map { ImageRequest(url: $0) }, contentMode: contentMode, label: label, options: options,
                content: content, placeholder: placeholder)
        }
    }

    extension LoadingImage where Content == StandardImageContent {
        /// Creates a view that resizes the image, with a gray placeholder and a button to try again after a failure.
        ///
        /// - Parameters:
        ///   - request: The image; nil for none yet.
        ///   - contentMode: Whether the image fits in the view, or fills and is cropped.
        ///   - label: Describes the image for accessibility; nil if it is decorative.
        ///   - options: The transition and more. `loadsBeforeVisible` has no effect.
        public init(
            _ request: ImageRequest?, contentMode: ContentMode = .fit, label: Text? = nil,
            options: ImageBinding.Options = ImageBinding.Options()
        ) {
            self.init(request, contentMode, label, options) { StandardImageContent(state: $0) }
        }

        /// Creates a view that resizes the image at a URL. Otherwise like `init(_:contentMode:label:options:)` of a
        /// request.
        public init(
            _ url: URL?, contentMode: ContentMode = .fit, label: Text? = nil,
            options: ImageBinding.Options = ImageBinding.Options()
        ) {
            self.init(url.map { ImageRequest(url: $0) }, contentMode: contentMode, label: label, options: options)
        }
    }

    /// The content of a `LoadingImage` with a closure for images, and one for the placeholder.
    public struct ImageOrPlaceholder<Content: View, Placeholder: View>: View {
        let state: LoadingImageState
        let content: (Image) -> Content
        let placeholder: () -> Placeholder

        /// The content of the view.
        public var body: some View {
            if let image = state.image {
                content(image).accessibilityIgnoresInvertColors().transition(state.transition).id(state.viewID)
            } else {
                placeholder().transition(.asymmetric(insertion: .identity, removal: state.removal))
            }
        }
    }

    /// The standard content: the image, a pulsing placeholder while it loads, or a button to try again.
    public struct StandardImageContent: View {
        let state: LoadingImageState

        /// The content of the view.
        public var body: some View {
            ZStack {
                if let image = state.image {
                    resized(image).accessibilityIgnoresInvertColors().transition(state.transition).id(state.viewID)
                } else if !state.appearance.phase.isFailure {
                    PulsingPlaceholder(reducesMotion: state.reducesMotion)
                        .transition(.asymmetric(insertion: .identity, removal: state.removal))
                }
                if state.appearance.phase.isFailure { RetryButton(action: state.retry) }
            }
        }

        @ViewBuilder
        private func resized(_ image: Image) -> some View {
            if state.contentMode == .fill {
                Color.clear.overlay { image.resizable().aspectRatio(contentMode: .fill) }.clipped()
            } else {
                image.resizable().aspectRatio(contentMode: .fit)
            }
        }
    }

    /// A button with at least the size that Apple's guidelines recommend, 44 points.
    private struct RetryButton: View {
        let action: @MainActor () -> Void

        var body: some View {
            Button(action: action) {
                Label("Try Again", systemImage: "arrow.clockwise")
                    .labelStyle(.iconOnly)
                    .frame(minWidth: 44, minHeight: 44)
                    .contentShape(Rectangle())
            }
            // Otherwise a tap anywhere in a row of a list would retry.
            .buttonStyle(.borderless)
        }
    }

    private struct PulsingPlaceholder: View {
        let reducesMotion: Bool
        @State private var isBright = false

        var body: some View {
            // Animates nothing but the opacity: otherwise the placeholder would slide with a navigation, again and again.
            Color.gray
                .animation(reducesMotion ? nil : .easeInOut(duration: 0.8).repeatForever()) { color in
                    color.opacity(isBright ? 0.1 : 0.25)
                }
                .onAppear { isBright = !reducesMotion }
        }
    }
#endif
