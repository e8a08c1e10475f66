import ImageCore
import ImagePresenting
import ImagePresentingSwiftUI
import SwiftUI

/// The views of Documentation/Comparison.md. Scripts/check-apple checks that all of its lines are here.
struct ComparedViews: View {
    let url: URL
    let token: String
    let loader: any ImageLoaderProtocol & AnyObject

    var body: some View {
        list.imageLoader(loader)
    }

    private var list: some View {
        List {
            LoadingImage(url).frame(width: 80, height: 80)
            LoadingImage(url, contentMode: .fill).frame(width: 80, height: 80)
            LoadingImage(url) { if let image = $0.image { image } else { Color.gray } }
            LoadingImage(url, options: .init(transition: .fadeIn(.milliseconds(250))))
            LoadingImage(url) { if let image = $0.image { image } else { ProgressView(value: $0.fraction) } }
            LoadingImage(ImageRequest(url: url, priority: .high))
            LoadingImage(ImageRequest(url: url, headers: ["Authorization": token]))
            LoadingImage(url, label: Text(verbatim: "Ada Lovelace"))
        }
    }
}
