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
