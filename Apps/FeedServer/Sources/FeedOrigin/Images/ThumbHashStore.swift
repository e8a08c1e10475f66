import ImageThumbHash
import Synchronization

/// The hashes of photos. Each is computed once, from a tiny drawing of the photo's scene.
final class ThumbHashStore: Sendable {
    /// The longer side of the drawing, in pixels. A hash has no details that need more.
    private static let side = 48

    private let hashes = Mutex<[Int: ThumbHash]>([:])

    /// Returns the hash of the photo with this recipe.
    func hash(of recipe: ImageRecipe) -> ThumbHash {
        if let known = hashes.withLock({ $0[recipe.id] }) { return known }
        let hash = ThumbHash(bitmap: ImageRenderer.firstFrame(of: recipe.thumbnail(Self.side)))
        hashes.withLock { $0[recipe.id] = hash }
        return hash
    }
}
