import Foundation
import ImageCore
import ImageTesting
import PhotoFeedModel
import Synchronization

/// Answers as scripted, page by page, each answer behind a gate of its own if it has one.
final class ScriptedPhotoService: PhotoService {
    enum Reply: Sendable {
        case photos(Range<Int>)
        case failure
        /// What comes once the gate is open, cancelled or not.
        indirect case held(Gate, Reply)
    }

    /// The pages that were asked for.
    let log = MessageLog<Int>()
    private let replies: Mutex<[Int: [Reply]]>

    /// - Parameter replies: by page, one for each time that it is asked for; the last is repeated. Pages without are empty.
    init(_ replies: [Int: [Reply]]) { self.replies = Mutex(replies) }

    func page(_ number: Int, limit: Int) async throws(PhotoServiceFailure) -> [Photo] {
        var reply = replies.withLock { replies -> Reply in
            guard let first = replies[number]?.first else { return .photos(0..<0) }
            if let count = replies[number]?.count, count > 1 { replies[number]?.removeFirst() }
            return first
        }
        log.append(number)
        while case .held(let gate, let next) = reply {
            await gate.pass()
            reply = next
        }
        guard case .photos(let ids) = reply else { throw .loading(.offline) }
        return ids.map(Self.photo)
    }

    static func photo(_ id: Int) -> Photo {
        guard let url = URL(string: "http://images.example/\(id)") else { preconditionFailure("no URL") }
        return Photo(albumId: 1, id: id, title: "photo \(id)", url: url, thumbnailUrl: url)
    }
}
