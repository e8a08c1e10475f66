import Foundation
import ImageCoalescing
import ImageCore
import ImageLoading
import ImageScheduling
import ImageTesting
import ImageTransporting

/// A loader whose tasks run on an executor that the test controls step by step.
struct SteppedLoader {
    let executor: SeededExecutor
    let scheduler: PriorityScheduler
    let fixture: LoaderFixture

    /// - Parameter downloads: The number of concurrent transfers. 0 blocks them until `scheduler.setLimit`.
    init(seed: UInt64 = 1, downloads: Int = 6, adjust: (inout ImageLoaderConfiguration) -> Void = { _ in }) {
        let executor = SeededExecutor(seed: seed)
        scheduler = PriorityScheduler(lanes: [
            .download: LaneConfiguration(limit: downloads, executor: executor),
            .decode: LaneConfiguration(limit: 2, executor: executor),
        ])
        fixture = LoaderFixture(scheduler: scheduler, executor: executor, adjust: adjust)
        self.executor = executor
    }

    /// The number of callers that wait for an image or an original. A request for an image has one of each.
    var callerCount: Int { fixture.coalescer.callerCount }

    var loader: ImageLoader { fixture.loader }

    /// The names of the images requested from the transport, in order.
    var sent: [String] { fixture.transport.requests.map(\.url.lastPathComponent) }

    func requests(_ names: some Sequence<String>, adjust: (inout ImageRequest) -> Void = { _ in }) -> [ImageRequest] {
        names.map { fixture.request($0, adjust: adjust) }
    }

    /// Starts a request on the executor.
    func load(_ request: ImageRequest) -> Task<LoadedImage, any Error> {
        Task(executorPreference: executor) { [loader] in try await loader.image(for: request) }
    }
}
