#if canImport(SwiftUI)
    public import ImageCore
    public import SwiftUI

    extension EnvironmentValues {
        /// The loader of the `LoadingImage`s; nil by default, which shows only placeholders.
        public var imageLoader: (any ImageLoaderProtocol)? {
            get { self[ImageLoaderKey.self] }
            set { self[ImageLoaderKey.self] = newValue }
        }
    }

    extension View {
        /// Sets the loader of the `LoadingImage`s in this view, and plays their animations.
        public func imageLoader(_ loader: any ImageLoaderProtocol) -> some View {
            PlayingView(loader: loader, content: self)
        }
    }

    private enum ImageLoaderKey: EnvironmentKey {
        static let defaultValue: (any ImageLoaderProtocol)? = nil
    }
#endif
