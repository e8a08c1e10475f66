import Foundation
import ImageCore
import Synchronization

/// Counts the handlers that are alive.
final class TokenCount: Sendable {
    private let living = Mutex(0)

    var count: Int { living.withLock { $0 } }

    func add(_ number: Int) { living.withLock { $0 += number } }
}

/// Lives as long as the handler that holds it.
final class Token: Sendable {
    private let count: TokenCount

    init(_ count: TokenCount) {
        self.count = count
        count.add(1)
    }

    deinit { count.add(-1) }

    /// Keeps the token in a closure that has nothing else to do with it.
    func touch() {}
}

extension Workload.Request {
    /// Pictures 0 to 2 and 3 to 5 are at two hosts.
    var imageRequest: ImageRequest? {
        guard let url = URL(string: "http://\(picture < 3 ? "one" : "two").example/\(picture)") else { return nil }
        var request = ImageRequest(
            url: url, target: ImageTarget(PixelSize(width: size, height: size)),
            processors: isProcessed ? [SimulatedStep()] : [], priority: priority, cachePolicy: cachePolicy, mode: mode)
        request.isProgressive = isProgressive
        return request
    }
}
