import Foundation
import ImageCodecPNG
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImageTesting
import ImageTransporting
import LoopbackServer
import Testing

@testable import ImageScheduling

/// The loader, its lanes, retries and transports.
extension ExtremeCase {
    static var loading: [ExtremeCase] {
        options + [transferOptions, requestLimits, retries, previews, configuration, lanes, rates]
    }

    private static var png: Data { get throws { try PNGEncoder().encode(bitmap(8, 6), options: EncodingOptions()) } }

    private static var options: [ExtremeCase] {
        let fields: [(String, any WritableKeyPath<ImageLoaderOptions, Int> & Sendable)] = [
            ("memoryByteLimit", \.memoryByteLimit), ("animationByteLimit", \.animationByteLimit),
            ("diskByteLimit", \.diskByteLimit),
            ("partialDownloadByteLimit", \.partialDownloadByteLimit), ("maxDownloads", \.maxDownloads),
            ("maxDownloadsPerServer", \.maxDownloadsPerServer), ("maxDecodes", \.maxDecodes),
            ("retries", \.retryPolicy.maxRetries),
        ]
        return fields.map { name, field in
            ExtremeCase("ImageLoaderOptions.\(name)") {
                for value in ints { try await load { $0[keyPath: field] = value } }
            }
        }
    }

    /// Loads an image from a server with the platform's transport.
    private static func load(_ adjust: (inout ImageLoaderOptions) -> Void) async throws {
        let file = Array(try png)
        let server = try LoopbackServer { _ in .ok(file) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "extreme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = ImageLoaderOptions(cacheDirectory: folder)
        options.transferOptions = .patient
        adjust(&options)
        let loader = ImageLoader(options)
        let request = ImageRequest(url: server.url("/a"))
        #expect(try await loader.image(for: request).decoded.bitmap.size == PixelSize(width: 8, height: 6))
        _ = loader.cachedImage(for: request)
        try await loader.removeAllCachedImages()
    }

    private static let transferOptions = ExtremeCase("ImageLoaderOptions.transferOptions") {
        let fields: [any WritableKeyPath<TransferOptions, Int> & Sendable] = [\.bodyByteLimit, \.maxRedirects]
        for (field, value) in fields.flatMap({ field in ints.map { (field, $0) } }) {
            try await loadOrFail { $0.transferOptions[keyPath: field] = value }
        }
        for duration in durations {
            try await loadOrFail { $0.transferOptions.connectTimeout = duration }
            try await loadOrFail { $0.transferOptions.stallTimeout = duration }
            try await loadOrFail { $0.transferOptions.totalTimeout = duration }
        }
    }

    /// Expects an image or an `ImageError`.
    private static func loadOrFail(_ adjust: (inout ImageLoaderOptions) -> Void) async throws {
        do {
            try await load { options in
                options.retryPolicy.maxRetries = 0
                adjust(&options)
            }
        } catch {
            #expect(error is ImageError)
        }
    }

    private static let requestLimits = ExtremeCase("limits of a transport's request") {
        for value in ints {
            for url in ["data:,abc", "file:///etc/hostname"] {
                let request = TransportRequest(
                    url: try #require(URL(string: url)), headByteLimit: value, bodyByteLimit: value, maxRedirects: value
                )
                let transport: any DataTransport = url.hasPrefix("data") ? DataURLTransport() : FileTransport()
                _ = try? await transport.send(request)
            }
        }
    }

    private static let retries = ExtremeCase("TransferRetryPolicy") {
        for duration in durations {
            for fraction in doubles {
                let policies = [
                    TransferRetryPolicy(maxRetries: .max, baseDelay: duration) { fraction },
                    TransferRetryPolicy(
                        maxRetries: .max, baseDelay: .seconds(Int64.max), maxDelay: duration, maxRetryAfter: duration,
                        maxTotalTime: duration
                    ) { fraction },
                ]
                for (policy, retry) in policies.flatMap({ policy in ints.map { (policy, $0) } }) {
                    let delay = policy.delay(beforeRetry: retry, retryAfter: duration, elapsed: duration) ?? .zero
                    #expect(delay >= .zero && delay <= .seconds(7_000_000_000))
                }
            }
        }
        for value in ints {
            try await load { $0.retryPolicy.maxRetries = value }
            #expect(TransferRetryPolicy(maxRetries: value) { 0 }.delay(beforeRetry: .max) == nil)
        }
    }

    private static let previews = ExtremeCase("PreviewThrottle") {
        for share in doubles {
            for interval in durations {
                let throttle = PreviewThrottle(interval: interval, rowShare: share)
                for value in ints {
                    let extent = PreviewExtent(passes: value, rows: value)
                    _ = throttle.isDue(extent, of: value, at: .seconds(2), after: nil)
                    _ = throttle.isDue(
                        extent, of: value, at: .seconds(2), after: (PreviewExtent(passes: 0, rows: 0), .zero))
                }
            }
        }
    }

    private static let configuration = ExtremeCase("ImageLoaderParts, and the limit of a prefetcher") {
        for value in ints {
            var configuration = ImageLoaderOptions(cacheDirectory: nil).makeParts()
            configuration.connectivityMonitor = SettableConditionMonitor(Connectivity.online)
            let loader = ImageLoader(configuration)
            let prefetcher = ImagePrefetcher(loader: loader, maxConcurrentRequests: value)
            let request = ImageRequest(.data(try png, name: "a"))
            prefetcher.start([request])
            await prefetcher.waitUntilFinished()
            #expect(loader.cachedImage(for: request) != nil)
        }
    }

    private static let lanes = ExtremeCase("LaneOptions") {
        for value in ints {
            let executor = DispatchTaskExecutor(name: "extreme", width: value)
            var lane = LaneOptions(limit: max(1, value), perServerLimit: value, executor: executor)
            (lane.reserved, lane.reservedPerServer) = (value, value)
            let (time, clock) = (Duration.seconds(Int64(clamping: value)), ManualClock())
            lane.stallLimit = StallLimit(bytes: value, time: time, maxRunning: value, clock: clock)
            let scheduler = PriorityScheduler(lanes: [.download: lane], maxOvertakes: value)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await scheduler.run(in: .download, server: "a", priority: LivePriority(.low)) {
                            $0(value)
                        }
                    }
                }
                try await group.waitForAll()
            }
            scheduler[limitOf: .download] = value
        }
    }

    private static let rates = ExtremeCase("StartRate") {
        for burst in ints {
            for rate in doubles {
                let clock = ManualClock()
                let startRate = StartRate(burst: burst, perSecond: rate, clock: clock)
                let lane = LaneOptions(limit: 1, startRate: startRate)
                let scheduler = PriorityScheduler(lanes: [.download: lane])
                for _ in 0..<3 {
                    let gate = TestGate()
                    let work = Task {
                        try await scheduler.run(in: .download, server: nil, priority: LivePriority(.low)) {
                            await gate.pass()
                        }
                    }
                    work.cancel()
                    gate.open()
                    _ = await work.result
                }
            }
        }
    }
}
