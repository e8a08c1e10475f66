public import ImageCore
import ImagePresentingSwiftUI
import ImageThumbHash
public import PhotoFeedModel
import SwiftUI

/// The thumbnail and the title of a photo.
struct PhotoRow: View {
    let photo: Photo
    let usesVariants: Bool
    @Environment(\.displayScale) private var displayScale

    var body: some View {
        HStack {
            LoadingImage(photo.thumbnail(scale: displayScale, usesVariants: usesVariants), contentMode: .fill)
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
    /// - Parameters:
    ///   - scale: The scale of the display.
    ///   - usesVariants: Whether the request is for a variant of the full image, which the loader's `variants` make.
    public func thumbnail(scale: Double, usesVariants: Bool = false) -> ImageRequest {
        let side = Self.thumbnailSide
        var request = ImageRequest(
            url: usesVariants ? url : thumbnailUrl,
            target: ImageTarget(points: (side, side), scale: scale, mode: .fill))
        if let thumbHash { request.placeholder = .thumbHash(thumbHash) }
        return request
    }
}
