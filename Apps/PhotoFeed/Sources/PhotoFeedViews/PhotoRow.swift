public import ImageCore
import ImagePresentingSwiftUI
import ImageThumbHash
public import PhotoFeedModel
import SwiftUI

/// The thumbnail and the title of a photo.
struct PhotoRow: View {
    let photo: Photo
    @Environment(\.displayScale) private var displayScale

    var body: some View {
        HStack {
            LoadingImage(photo.thumbnail(scale: displayScale), contentMode: .fill)
                .frame(width: Photo.thumbnailSide, height: Photo.thumbnailSide)
            Text(verbatim: photo.title)
        }
    }
}

extension Photo {
    /// The side of a thumbnail in points.
    static let thumbnailSide = 64.0

    /// Returns the request for the thumbnail of a row. It has a target, so that prefetched images are found in memory.
    ///
    /// - Parameter scale: The scale of the display.
    public func thumbnail(scale: Double) -> ImageRequest {
        let side = Self.thumbnailSide
        var request = ImageRequest(
            url: thumbnailUrl, target: ImageTarget(points: (side, side), scale: scale, mode: .fill))
        if let thumbHash { request.placeholder = .thumbHash(thumbHash) }
        return request
    }
}
