#if canImport(SwiftUI)
    import ImagePresenting
    import SwiftUI

    /// A view that is laid out like its content, and reports the space that it is offered.
    ///
    /// The size of the content would not do: while an image loads, the content is often a small indicator.
    struct OfferedSpace<Content: View>: View {
        /// Called with the offered size in points. A side without a limit is `ViewTarget.unlimited`.
        let onChange: (CGSize) -> Void
        @ViewBuilder let content: () -> Content

        var body: some View {
            ContentAndProbe {
                ZStack { content() }
                Color.clear
                    .onGeometryChange(for: CGSize.self, of: \.size) { onChange($0) }
                    .allowsHitTesting(false)
                    .accessibilityHidden(true)
            }
        }
    }

    /// Lays out its first view as if it were alone, and its second one in the whole offered space.
    private struct ContentAndProbe: Layout {
        func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) -> CGSize {
            subviews[0].sizeThatFits(proposal)
        }

        func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) {
            let unlimited = CGSize(width: ViewTarget.unlimited, height: ViewTarget.unlimited)
            subviews[0].place(at: bounds.origin, proposal: proposal)
            subviews[1].place(
                at: bounds.origin, proposal: ProposedViewSize(proposal.replacingUnspecifiedDimensions(by: unlimited)))
        }
    }
#endif
