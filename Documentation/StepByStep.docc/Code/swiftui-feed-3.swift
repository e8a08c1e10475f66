import ImageLoaderKit
import ImagePresentingSwiftUI
import ImageThumbHash
import SwiftUI

/// A photo, as the feed describes it.
struct Photo: Decodable, Identifiable, Sendable {
    let id: Int
    let title: String
    let thumbnailUrl: URL
    let thumbHash: String?

    /// The request for the thumbnail, with a blurred placeholder if the feed has one.
    var request: ImageRequest {
        var request = ImageRequest(url: thumbnailUrl)
        if let thumbHash, let placeholder = try? ThumbHash(base64: thumbHash) {
            request.placeholder = .thumbHash(placeholder)
        }
        return request
    }
}

struct PhotoList: View {
    let photos: [Photo]

    var body: some View {
        List {
            ForEach(photos, id: \.id) { photo in
                LoadingImage(
                    photo.request, contentMode: .fill,
                    label: Text(verbatim: photo.title),
                    options: .init(transition: .crossDissolve(.milliseconds(200)))
                )
                .frame(width: 160, height: 160)
            }
        }
    }
}

struct Feed: View {
    let loader: ImageLoader
    let address: URL
    @State private var photos: [Photo] = []

    var body: some View {
        PhotoList(photos: photos)
            .imageLoader(loader)  // once, for all images below
            .task(id: address) { await load() }
    }

    private func load() async {
        let request = ImageRequest(url: address, mode: .revalidate)
        guard let feed = try? await loader.data(for: request) else { return }
        photos = (try? JSONDecoder().decode([Photo].self, from: feed.data)) ?? []
    }
}
