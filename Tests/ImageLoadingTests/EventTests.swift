import Foundation
import HTTPTypes
import ImageCore
import ImageLoading
import ImageTransporting
import Synchronization
import Testing

@testable import ImageTesting

@Suite("Events of a request, and causes of misses", .timeLimit(.minutes(10)))
struct EventTests {
    private let fixture = LoaderFixture()
    private let bytes = LoaderFixture.image.count

    private func misses(_ request: ImageRequest) async -> [ImageLoadEvent.Kind] {
        let before = fixture.observer.events.count
        _ = try? await fixture.loader.image(for: request)
        return fixture.observer.kinds().dropFirst(before).filter { kind in
            switch kind {
            case .memoryMiss, .diskMiss: true
            default: false
            }
        }
    }

    @Test("a cache that the request bypasses is reported")
    func policy() async throws {
        let nothing = fixture.request("a") { $0.cachePolicy = .disabled }
        #expect(await misses(nothing) == [.memoryMiss(.policy), .diskMiss(.policy)])
        for mode in [ImageLoadMode.reload, .revalidate] {
            let request = fixture.request("a") { $0.mode = mode }
            #expect(await misses(request) == [.memoryMiss(.policy), .diskMiss(.policy)])
        }
        let file = ImageRequest(url: URL(filePath: "/a"))
        #expect(await misses(file) == [.memoryMiss(.absent)], "files are not stored")
    }

    @Test("a missing cache is reported")
    func noCache() async throws {
        let fixture = LoaderFixture {
            $0.memoryCache = nil
            $0.transport = .uncached($0.transport)
        }
        _ = try await fixture.loader.image(for: fixture.request("a"))
        #expect(fixture.observer.kinds().prefix(3) == [.started, .memoryMiss(.noCache), .diskMiss(.noCache)])
    }

    @Test("a stored response that needs validation, has other headers, or is undecodable is reported")
    func disk() async throws {
        let varied = ScriptedTransport.Reply.ok(
            LoaderFixture.image, headers: [.cacheControl: "max-age=60", .vary: "Accept-Language"])
        var request = fixture.request("a", then: varied) { $0.cachePolicy = .diskOnly }
        #expect(await misses(request).last == .diskMiss(.absent))
        request.headers["Accept-Language"] = "fi"
        #expect(await misses(request).last == .diskMiss(.otherVariant))
        fixture.wallTime.advance(100)
        #expect(await misses(request).last == .diskMiss(.stale))

        let damaged = fixture.request("b", first: .ok(Data("no image".utf8))) { $0.cachePolicy = .diskOnly }
        _ = try await fixture.loader.data(for: damaged)
        #expect(await misses(damaged).dropFirst() == [.diskMiss(.notAnImage), .diskMiss(.policy)])
    }

    @Test("a lost body is reported as lost, and a failing store as unreadable")
    func lost() async throws {
        let request = fixture.request("a") { $0.cachePolicy = .diskOnly }
        _ = try await fixture.loader.image(for: request)
        for key in fixture.disk.entries.keys where key.identifier.contains(" ") {
            try await fixture.disk.remove(for: key)
        }
        #expect(await misses(request).last == .diskMiss(.missingBytes))
        fixture.disk.fail(.entry, with: .noSpace)
        #expect(await misses(request).last == .diskMiss(.unreadable))
    }

    @Test("progress, waits for slots, processors and stores are reported in order")
    func steps() async throws {
        let gate = TestGate()
        let (head, tail) = (LoaderFixture.image.prefix(10), Data(LoaderFixture.image.dropFirst(10)))
        let reply = ScriptedTransport.Reply(announcedByteCount: bytes, body: [.piece(head), .wait(gate), .piece(tail)])
        let request = fixture.request("a", then: reply) { $0.processors = [FakeProcessor("step")] }
        let task = Task { try await fixture.loader.image(for: request) }
        await gate.waitForArrivals(1)
        fixture.clock.advance(by: .seconds(2))
        gate.open()
        _ = try await task.value
        let size = PixelSize(width: 20, height: 15)
        let before: [ImageLoadEvent.Kind] = [
            .started, .memoryMiss(.absent), .diskMiss(.absent), .queued(.download), .downloadStarted,
            .received(bytes: 10, of: bytes),
        ]
        let after: [ImageLoadEvent.Kind] = [
            .received(bytes: bytes, of: bytes), .downloadFinished(bytes: bytes), .queued(.decode), .decodingStarted,
            .decoded(size), .queued(.decode), .processingStarted, .processed, .storedInMemory, .succeeded(.network),
        ]
        #expect(fixture.observer.kinds() == before + after)
        let times = before.map { _ in Duration.zero } + after.map { _ in Duration.seconds(2) }
        #expect(fixture.observer.events.map(\.elapsed) == times)
    }
}
