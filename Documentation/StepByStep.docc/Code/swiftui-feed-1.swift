import ImageLoaderKit
import ImagePresentingSwiftUI
import SwiftUI

/// A photo, as the feed describes it.
struct Photo: Decodable, Identifiable, Sendable {
    let id: Int
    let title: String
    let thumbnailUrl: URL
    let thumbHash: String?
}

struct PhotoList: View {
    let photos: [Photo]

    var body: some View {
        List {
            ForEach(photos, id: \.id) { photo in
                LoadingImage(
                    photo.thumbnailUrl, contentMode: .fill,
                    label: Text(verbatim: photo.title)
                )
                .frame(width: 160, height: 160)
            }
        }
    }
}
