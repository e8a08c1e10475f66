#if canImport(SwiftUI)
    import ImagePresenting
    public import SwiftUI

    /// The standard content: the image, a shimmer while it loads, or a retry symbol after a failure.
    public struct StandardImageContent: View {
        let image: RequestImageContent

        /// The content of the view.
        public var body: some View {
            if let image = image.image {
                image.resizable()
            } else if image.phase.isFailure {
                Text(verbatim: "\u{21BB}").onTapGesture { image.retry() }
            } else {
                Shimmer()
            }
        }
    }

    /// A pulsing gray placeholder. With reduced motion, it does not pulse.
    struct Shimmer: View {
        @Environment(\.accessibilityReduceMotion) private var reducesMotion
        @State private var isBright = false

        var body: some View {
            Color.gray
                .opacity(isBright ? 0.1 : 0.25)
                .animation(.easeInOut(duration: 0.8).repeatForever(), value: isBright)
                .onAppear { isBright = !reducesMotion }
        }
    }
#endif
