import Foundation
import ImageCore
import ImageTesting
import PhotoFeedModel
import Synchronization

/// Returns scripted replies for each page.
final class ScriptedPhotoService: PhotoService {
    enum Reply: Sendable {
        case photos(Range<Int>)
        case failure
        /// A reply that waits for a gate, even if it is cancelled.
        indirect case gated(TestGate, Reply)
    }

    /// The requested pages.
    let log = MessageLog<Int>()
    private let replies: Mutex<[Int: [Reply]]>

    /// - Parameter replies: The replies for each page, in the order of the requests. The last one repeats. Other pages
    ///   are empty.
    init(_ replies: [Int: [Reply]]) { self.replies = Mutex(replies) }

    func page(_ number: Int, limit: Int) async throws(PhotoServiceFailure) -> [Photo] {
        var reply = replies.withLock { replies -> Reply in
            guard let first = replies[number]?.first else { return .photos(0..<0) }
            if let count = replies[number]?.count, count > 1 { replies[number]?.removeFirst() }
            return first
        }
        log.append(number)
        while case .gated(let gate, let next) = reply {
            await gate.pass()
            reply = next
        }
        guard case .photos(let ids) = reply else { throw .loading(.offline) }
        return ids.map(Self.photo)
    }

    static func photo(_ id: Int) -> Photo {
        guard let url = URL(string: "http://images.example/\(id)") else { preconditionFailure("invalid URL") }
        return Photo(albumId: 1, id: id, title: "photo \(id)", url: url, thumbnailUrl: url.appending(path: "thumbnail"))
    }
}
