#if canImport(SwiftUI)
    import ImageCore
    import ImagePresenting
    public import SwiftUI

    /// A view that loads and shows an image, in the manner of `AsyncImage`.
    ///
    /// ```swift
    /// LoadingImage(url)
    ///     .frame(width: 80, height: 80)
    ///     .imageLoader(loader)  // once, on a view above all images
    /// ```
    ///
    /// - The image is decoded to the space that the view is offered, at the scale of the display, unless the request has
    ///   a target. A larger space loads a larger image, and shows the present one until then.
    /// - An image in memory is drawn in the first update of the view.
    /// - The image loads while the view is visible. It stays when another view covers this one.
    public struct LoadingImage<Content: View>: View {
        private let request: ImageRequest?
        private let contentMode: ContentMode
        private let label: Text?
        private let options: ImageBinding.Options
        private let content: (LoadingImageState) -> Content
        @Environment(\.imageLoader) private var loader
        @Environment(\.animationClock) private var clock
        @Environment(\.displayScale) private var displayScale
        @Environment(\.accessibilityReduceMotion) private var reducesMotion
        @State private var space: CGSize?
        @StateObject private var store = ImageModelStore()

        init(
            _ request: ImageRequest?, _ contentMode: ContentMode, _ label: Text?, _ options: ImageBinding.Options,
            content: @escaping (LoadingImageState) -> Content
        ) {
            self.request = request
            self.contentMode = contentMode
            self.label = label
            self.options = options
            self.content = content
        }

        /// The content of the view.
        public var body: some View {
            let (sized, model) = (sized, loader.map { store.model(for: $0, activeOptions, clock) })
            OfferedSpace(onChange: { space = $0 }) { content(state(of: model, for: sized)) }
                .task(id: LoadID(sized, loader)) { @MainActor [store] in
                    // A row that has already disappeared must not start a download.
                    if !Task.isCancelled { store.show(sized) }
                }
                .onDisappear { store.model?.isVisible = false }
        }

        /// The request with the size of the view, or nil until it has one.
        private var sized: ImageRequest? {
            guard let request else { return nil }
            let size = space ?? .zero
            return store.target.sized(
                request,
                in: ViewSpace(
                    points: (size.width, size.height), scale: displayScale, mode: contentMode == .fill ? .fill : .fit))
        }

        private var activeOptions: ImageBinding.Options {
            var options = options
            options.loadsBeforeVisible = false
            return options
        }

        private func state(of model: ImageModel?, for request: ImageRequest?) -> LoadingImageState {
            LoadingImageState(
                appearance: request.flatMap { model?.appearance(for: $0) } ?? ImageAppearance(), scale: displayScale,
                label: label, contentMode: contentMode,
                configuredTransition: request?.transition ?? options.transition,
                reducesMotion: reducesMotion, retry: { model?.retry() })
        }
    }

    /// What a `LoadingImage` loads. A change restarts its task.
    private struct LoadID: Equatable {
        let request: ImageRequest?
        let loader: ObjectIdentifier?

        init(_ request: ImageRequest?, _ loader: (any ImageLoaderProtocol)?) {
            self.request = request
            self.loader = loader.map { ObjectIdentifier($0) }
        }

        static func == (left: LoadID, right: LoadID) -> Bool {
            guard left.loader == right.loader, left.request == right.request else { return false }
            guard let left = left.request, let right = right.request else { return true }
            return left.priority == right.priority && left.looksLike(right)
        }
    }
#endif
