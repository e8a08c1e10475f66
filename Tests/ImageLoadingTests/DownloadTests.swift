import Foundation
import ImageCoalescing
import ImageCore
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

@testable import ImageLoading

@Suite("What downloads leave, where they wait and how large they are")
struct DownloadTests {
    private let fixture = LoaderFixture.stepped(downloads: 4)

    @Test("nothing of a request is left in the loader after it succeeded, failed or was cancelled")
    func leavesNothing() {
        let piece = ScriptedTransport.Step.piece(Data([1, 2, 3]))
        let bodies: [[ScriptedTransport.Step]] = [
            [.piece(LoaderFixture.image)], [piece, .fail(.connectionLost("gone"))], [piece, .wait(TestGate())],
        ]
        let tasks = bodies.enumerated().map { number, body in
            let reply = ScriptedTransport.Reply(body: body)
            return fixture.loader.task(for: fixture.request("\(number)", then: reply) { $0.isProgressive = true })
        }
        fixture.run()
        #expect(fixture.loader.incoming.withLock { $0.count } == 1)
        for task in tasks { task.cancel() }
        fixture.run()
        #expect(fixture.loader.incoming.withLock { $0.isEmpty })
        #expect(fixture.loader.previewSubscriptions.withLock { $0.isEmpty })
        #expect(fixture.loader.generations.withLock { $0.isEmpty })
        #expect(fixture.loader.fetchDependencies.withLock { $0.isEmpty } && fixture.coalescer.isIdle)
    }

    @Test("a file waits in its own lane, and bytes, data: URLs and fetches wait in none")
    func lanes() throws {
        let urls = try ["file:///a.img", "FILE:///b.img", "data:,abc"].map { try #require(URL(string: $0)) }
        for url in urls { fixture.transport.script(url, .ok(LoaderFixture.image)) }
        let bytes = ImageOrigin.data(LoaderFixture.image, name: "bytes")
        let origins = urls.map { ImageOrigin.url($0) } + [bytes, .fetch(name: "f") { LoaderFixture.image }]
        fixture.limitDownloads(to: 0)
        let tasks = origins.map { origin in
            fixture.start { [fixture] in
                try await fixture.loader.data(for: ImageRequest(origin))
            }
        }
        fixture.run()
        let queued = fixture.observer.kinds().filter { if case .queued = $0 { true } else { false } }
        #expect(queued == [.queued(.file), .queued(.file)])
        withExtendedLifetime(tasks) {}
    }

    @Test("a version of lower quality is loaded at least at the priority of its request")
    func lowQuality() {
        let versions = [RequestPriority.low, .veryHigh].map { priority in
            fixture.request("\(priority)") { $0.priority = priority }
        }
        let held = ScriptedTransport.Reply(body: [.wait(TestGate())])
        let task = fixture.loader.task(
            for: fixture.request("full", then: held) {
                $0.priority = .high
                $0.lowQuality = versions
            })
        fixture.run()
        let sent = fixture.transport.requests.map { "\($0.url.lastPathComponent) \($0.priority)" }
        #expect(Set(sent) == ["full high", "low high", "veryHigh veryHigh"])
        task.cancel()
        fixture.run()
    }

    @Test("an original of exactly the maximum size is loaded, and one of a byte more is refused")
    func largestOriginal() async throws {
        for (count, isLoaded) in [(10_000, true), (10_001, false)] {
            let data = Data(repeating: 1, count: count)
            let reply = ScriptedTransport.Reply(body: [.piece(data.prefix(5_000)), .piece(Data(data.dropFirst(5_000)))])
            let origins = [
                fixture.request("\(count)", then: reply).origin, .data(hashing: data),
                .fetch(name: "\(count)") { data },
            ]
            for origin in origins {
                let task = fixture.start { [fixture] in try await fixture.loader.data(for: ImageRequest(origin)) }
                fixture.run()
                if isLoaded {
                    #expect(try await task.value.data == data)
                } else {
                    await #expect(throws: ImageError.tooLarge(byteLimit: 10_000)) { try await task.value }
                }
            }
        }
    }

    @Test("the transport receives the limits of the loader, the priority, and whether parts of the body are shown")
    func transportRequest() async throws {
        var limits = TransferOptions(
            connectTimeout: .seconds(1), stallTimeout: .seconds(2), totalTimeout: .seconds(3), bodyByteLimit: 10_000,
            maxRedirects: 4)
        limits.minBytesPerSecond = 5
        let fixture = LoaderFixture { [limits] in $0.transferOptions = limits }
        let request = fixture.request("a") { ($0.priority, $0.isProgressive) = (.high, true) }
        _ = try await fixture.loader.data(for: request)
        let sent = try #require(fixture.transport.requests.first)
        #expect(sent.connectTimeout == .seconds(1) && sent.stallTimeout == .seconds(2))
        #expect(sent.totalTimeout == .seconds(3) && sent.minBytesPerSecond == 5)
        #expect(sent.bodyByteLimit == 10_000 && sent.maxRedirects == 4)
        #expect(sent.priority == .high && sent.isIncremental)
    }

    @Test("the scheduler is told each byte of a download that arrives, whose head alone is no progress")
    func movedBytes() async throws {
        let scheduler = RecordingScheduler()
        let fixture = LoaderFixture(scheduler: scheduler)
        let image = LoaderFixture.image
        let body = [ScriptedTransport.Step.piece(image.prefix(10)), .piece(Data(image.dropFirst(10)))]
        _ = try await fixture.loader.data(for: fixture.request("a", then: ScriptedTransport.Reply(body: body)))
        #expect(scheduler.moves.messages == [10, image.count - 10])
    }
}

/// A scheduler that logs the bytes of transfers.
private final class RecordingScheduler: WorkScheduler {
    let moves = MessageLog<Int>()

    func run<Value: Sendable>(
        in lane: WorkLane, server: String?, priority: LivePriority,
        _ work: @Sendable (_ moved: @escaping @Sendable (_ bytes: Int) -> Void) async throws -> Value
    ) async throws -> Value { try await work { [moves] in moves.append($0) } }
}
