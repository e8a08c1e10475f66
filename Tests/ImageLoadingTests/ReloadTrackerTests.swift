import Foundation
import ImageCore
import ImageTesting
import Testing

@testable import ImageLoading

@Suite("Requests and reloads of one original")
struct ReloadTrackerTests {
    /// A request in progress, as a simple model.
    private struct Request {
        var original: Original
        var generation: UInt64
        /// The reloads of its original since it started.
        var reloads = 0
    }

    private struct Walk {
        var random: SeededRandom
        let originals: [Original]
        var tracker = ReloadTracker()
        var requests: [Request] = []

        init(seed: UInt64) throws {
            random = SeededRandom(seed: seed)
            originals = try (0..<4).map { number in
                let url = try #require(URL(string: "http://images.example/\(number)"))
                return ImageRequest(url: url).original
            }
        }

        mutating func step() throws {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<3:
                let original = try #require(originals.randomElement(using: &random))
                requests.append(Request(original: original, generation: tracker.beginRequest(original)))
            case 3..<7: end()
            default:
                // A reload is itself a request in progress.
                guard let original = requests.randomElement(using: &random)?.original else { return }
                let generation = tracker.markReloaded(original)
                try #require(generation == tracker.generation(of: original))
                for index in requests.indices where requests[index].original == original {
                    requests[index].reloads += 1
                }
            }
            for request in requests {
                let isCurrent = tracker.generation(of: request.original) == request.generation
                try #require(isCurrent == (request.reloads == 0))
            }
            if requests.isEmpty { try #require(tracker.isEmpty) }
        }

        mutating func end() {
            guard let index = requests.indices.randomElement(using: &random) else { return }
            tracker.endRequest(requests.remove(at: index).original)
        }
    }

    @Test(
        "a request is current until its original is reloaded, and nothing is stored without requests",
        arguments: 1...6 as ClosedRange<UInt64>)
    func agreesWithModel(seed: UInt64) throws {
        var walk = try Walk(seed: seed)
        for _ in 0..<20_000 { try walk.step() }
        while !walk.requests.isEmpty { walk.end() }
        #expect(walk.tracker.isEmpty)
    }
}
