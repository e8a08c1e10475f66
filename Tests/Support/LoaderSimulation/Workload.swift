import Foundation
package import ImageCore
package import ImageLoading
import ImageTesting

/// The events of a simulation, and the number of steps that tasks take after each event. The same seed gives the same
/// workload and the same schedule.
package struct Workload: Sendable {
    package enum Event: Hashable, Sendable, CustomStringConvertible {
        case request(Int, Request)
        case cancel(Int)
        /// Releases an `ImageTask`.
        case release(Int)
        case setPriority(Int, RequestPriority)
        case prefetch([Request], Destination)
        case stopPrefetching([Request], Destination)
        case pausePrefetching(Bool)
        case advance(seconds: Int)
        case evictMemory(share: Double)
        case evictStored
        case limit(String, Int)
        case invalidate

        package var description: String {
            switch self {
            case .request(let number, let request): "request \(number): \(request)"
            case .cancel(let number): "cancel \(number)"
            case .release(let number): "release \(number)"
            case .setPriority(let number, let priority): "set \(number) to \(priority)"
            case .prefetch(let requests, let destination): "prefetch to \(destination): \(requests)"
            case .stopPrefetching(let requests, let destination): "stop prefetching to \(destination): \(requests)"
            case .pausePrefetching(let pauses): pauses ? "pause prefetching" : "resume prefetching"
            case .advance(let seconds): "advance the clock by \(seconds) s"
            case .evictMemory(let share): "trim the memory cache to \(share)"
            case .evictStored: "evict all stored responses"
            case .limit(let lane, let limit): "limit lane \(lane) to \(limit)"
            case .invalidate: "invalidate the loader"
            }
        }
    }

    /// The API that makes a request and delivers its result.
    enum Form: String, Sendable {
        /// `image(for:)` and `data(for:)`, each in a task.
        case image, data
        /// An `ImageTask` with a handler.
        case handler
        /// An `ImageTask` whose events another task iterates over.
        case eventSequence

        var isTask: Bool { self == .handler || self == .eventSequence }
    }

    package typealias Destination = ImagePrefetcher.Destination

    /// A request, reduced to the properties that the simulation uses.
    package struct Request: Hashable, Sendable, CustomStringConvertible {
        var image: Int
        var size: Int
        var priority: RequestPriority
        var cachePolicy = ImageCachePolicy.all
        var mode = ImageLoadMode.standard
        var form = Form.image
        var isProgressive = false
        /// Whether it has a processor.
        var isProcessed = false

        package var description: String {
            var traits = ["image \(image)", "size \(size)", "\(priority)"]
            if cachePolicy != .all { traits.append("memory \(cachePolicy.memory), disk \(cachePolicy.disk)") }
            if mode != .standard { traits.append("\(mode)") }
            if isProgressive { traits.append("progressive") }
            if isProcessed { traits.append("processed") }
            if form != .image { traits.append("\(form)") }
            return traits.joined(separator: ", ")
        }
    }

    package struct Step: Hashable, Sendable {
        package var event: Event
        package var stepsAfter: Int
    }

    var seed: UInt64
    package var steps: [Step]

    init(seed: UInt64, steps: [Step]) {
        self.seed = seed
        self.steps = steps
    }

    package init(seed: UInt64, events: Int) {
        var generator = WorkloadGenerator(random: SeededRandom(seed: seed))
        self.init(seed: seed, steps: generator.steps(events))
    }
}

private struct WorkloadGenerator {
    var random: SeededRandom
    var requests = 0

    /// Returns `count` events. A third of the loaders are invalidated shortly before the end.
    mutating func steps(_ count: Int) -> [Workload.Step] {
        let invalidated = draw(3) == 0 ? count - draw(20) : nil
        return (0..<count).map { number in
            let event = number == invalidated ? .invalidate : event()
            return Workload.Step(event: event, stepsAfter: draw(3) == 0 ? 0 : draw(25))
        }
    }

    private mutating func event() -> Workload.Event {
        switch draw(100) {
        case ..<45:
            requests += 1
            return .request(requests - 1, request())
        case ..<63 where requests > 0: return .cancel(recentRequest())
        case ..<66 where requests > 0: return .release(recentRequest())
        case ..<78 where requests > 0: return .setPriority(recentRequest(), priority())
        case ..<82: return .prefetch((0...draw(6)).map { _ in request() }, destination())
        case ..<85: return .stopPrefetching((0...draw(6)).map { _ in request() }, destination())
        case ..<86: return .pausePrefetching(draw(2) == 0)
        case ..<90: return .advance(seconds: 1 + draw(4))
        case ..<93: return .evictMemory(share: Double(draw(3)) / 2)
        case ..<95: return .evictStored
        default: return draw(2) == 0 ? .limit("download", draw(5)) : .limit("decode", draw(4))
        }
    }

    private mutating func destination() -> Workload.Destination { Workload.Destination.allCases[draw(2)] }

    private mutating func recentRequest() -> Int { max(0, requests - 1 - draw(8)) }

    private mutating func priority() -> RequestPriority {
        RequestPriority.allCases.randomElement(using: &random) ?? .normal
    }

    private mutating func request() -> Workload.Request {
        var request = Workload.Request(image: draw(SimulatedImage.count), size: 2 + draw(2), priority: priority())
        switch draw(20) {
        case ..<4: request.mode = ImageLoadMode.allCases[draw(5)]
        case 4: request.cachePolicy.memory = CacheAccess.allCases[draw(3)]
        case 5: request.cachePolicy.disk = CacheAccess.allCases[draw(3)]
        default: break
        }
        let forms: [Workload.Form] = [
            .image, .image, .handler, .handler, .handler, .eventSequence, .data, .data,
        ]
        request.form = forms[draw(8)]
        request.isProgressive = draw(2) == 0
        request.isProcessed = draw(4) == 0
        return request
    }

    private mutating func draw(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
}
