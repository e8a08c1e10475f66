#if canImport(SwiftUI)
    import ImagePresenting
    public import SwiftUI

    /// The image; a shimmer until there is one; a failure that can be tapped.
    public struct StandardImageContent: View {
        let image: RequestImageContent

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

    /// A grey that comes and goes, or stays, where motion is to be reduced.
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
