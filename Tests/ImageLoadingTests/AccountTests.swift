import Foundation
import HTTPTypes
import ImageCore
import ImageScheduling
import ImageTransporting
import Synchronization
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Accounts of the loader", .timeLimit(.minutes(10)))
struct AccountTests {
    /// The account that is signed in.
    private final class SignedIn: Sendable {
        private let state = Mutex<String?>("ann")

        var account: String? {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    private let user = SignedIn()
    private let hers = FakeImage.encode(width: 10, height: 10)
    private let his = FakeImage.encode(width: 30, height: 30)

    private func fixture(adjust: (inout ImageLoaderParts) -> Void = { _ in }) -> LoaderFixture {
        LoaderFixture { [user] parts in
            parts.account = { user.account }
            adjust(&parts)
        }
    }

    /// Returns a request whose first response is hers, and whose next one is his.
    private func request(_ fixture: LoaderFixture) -> ImageRequest {
        fixture.request("a", fit: nil, first: .ok(hers), then: .ok(his))
    }

    @Test("after the account has changed, nobody gets the image of another from memory or disk")
    func stored() async throws {
        let fixture = fixture()
        let (loader, request) = (fixture.loader, request(fixture))
        #expect(try await loader.image(for: request).size.width == 10)
        user.account = "bob"
        #expect(loader.cachedImage(for: request) == nil)
        #expect(await !loader.isCached(request))
        #expect(try await loader.image(for: request).size.width == 30)
        for source in [ImageSource.memory, .disk] {
            for (account, width) in [("ann", 10), ("bob", 30)] {
                user.account = account
                let image = try await loader.image(for: request)
                #expect(image.size.width == width && image.source == source)
            }
            try await loader.removeAllCachedImages(in: .memory)
        }
        var processed = request
        processed.processors = [FakeProcessor("same") { $0 }]
        #expect(try await loader.image(for: processed).size.width == 30)
        user.account = nil
        var offline = request
        offline.mode = .onlyIfCached
        await #expect(throws: ImageError.offline) { try await loader.image(for: offline) }
        #expect(fixture.transport.sendCount == 2)
    }

    @Test("the images of one account can be removed alone")
    func removed() async throws {
        let fixture = fixture()
        let (loader, request) = (fixture.loader, request(fixture))
        for account in ["ann", "bob"] {
            user.account = account
            _ = try await loader.image(for: request)
        }
        await loader.removeCachedImages(for: request)
        #expect(await !loader.isCached(request))
        user.account = "ann"
        #expect(try await loader.image(for: request).source == .memory)
    }

    @Test("a prefetch is stopped after the account has changed", arguments: ImagePrefetcher.Destination.allCases)
    func stopsPrefetch(destination: ImagePrefetcher.Destination) {
        let fixture = fixture()
        let (prefetcher, request) = (
            ImagePrefetcher(loader: fixture.loader, destination: destination), request(fixture)
        )
        prefetcher.isPaused = true
        for account in ["ann", "bob"] {
            user.account = account
            prefetcher.start([request])
        }
        #expect(prefetcher.count == 2)
        user.account = nil
        prefetcher.stop([request])
        #expect(prefetcher.count == 0)
    }

    @Test("a request in progress isn't joined after the account has changed, and its previews reach nobody else")
    func running() async throws {
        let fixture = fixture {
            $0.decoder = ScriptedPreviews()
            $0.previewThrottle = .unlimited
        }
        let gates = [TestGate(), TestGate(), TestGate()]
        let pieces: [ScriptedTransport.Step] = [
            .piece(hers[0..<5]), .wait(gates[0]), .piece(Data(hers[5..<10])), .wait(gates[1]),
            .piece(Data(hers[10...])),
        ]
        let request = fixture.request(
            "a", fit: nil, first: ScriptedTransport.Reply(body: pieces),
            then: ScriptedTransport.Reply(body: [.wait(gates[2]), .piece(his)])
        ) { $0.isProgressive = true }
        let her = fixture.loader.task(for: request)
        var herEvents = her.events.makeAsyncIterator()
        #expect(await nextPreview(&herEvents) == 5)
        user.account = "bob"
        let him = fixture.loader.task(for: request)
        await gates[2].waitForArrivals(1)
        gates[0].open()
        #expect(await nextPreview(&herEvents) == 10)
        gates[2].open()
        var hisEvents = him.events.makeAsyncIterator()
        while let byteCount = await nextPreview(&hisEvents) { #expect(byteCount > 10) }
        #expect(try await him.image.size.width == 30)
        gates[1].open()
        #expect(try await her.image.size.width == 10)
        #expect(fixture.transport.sendCount == 2)
    }

    /// Returns the number of bytes of which the next preview was made, or nil at the end.
    private func nextPreview(_ iterator: inout ImageTask.Events.Iterator) async -> UInt8? {
        while let event = await iterator.next() {
            if case .preview(let image) = event { return image.bitmap.pixels[0] }
        }
        return nil
    }

    private func animation(firstColor: UInt8) -> Data {
        FakeImage(
            PixelSize(width: 8, height: 8), frames: (0..<3).map { [$0 + firstColor, 0, 0, 255] },
            delays: Array(repeating: .milliseconds(50), count: 3), loopCount: 0
        ).encoded
    }

    @Test("an animation that is shown isn't shown to the next user")
    func shownAnimation() async throws {
        let fixture = fixture()
        let request = fixture.request(
            "a", fit: nil, first: .ok(animation(firstColor: 10)), then: .ok(animation(firstColor: 20)))
        let hers = try await fixture.loader.animation(for: request)
        user.account = "bob"
        let his = try await fixture.loader.animation(for: request)
        try await his.frames.prepare(from: 1)
        #expect(his.frames.cachedFrame(at: 1)?.pixels.first == 21)
        try await hers.frames.prepare(from: 1)
        #expect(hers.frames.cachedFrame(at: 1)?.pixels.first == 11)
    }

    @Test("an animation whose account changes while it is loaded keeps the frames of the account that asked for it")
    func animationInProgress() async throws {
        let accounts = Mutex<[String]>([])
        let fixture = LoaderFixture { parts in
            parts.account = { accounts.withLock { $0.isEmpty ? "ann" : $0.removeFirst() } }
        }
        let request = fixture.request(
            "a", fit: nil, first: .ok(animation(firstColor: 10)), then: .ok(animation(firstColor: 20)))
        _ = try await fixture.loader.image(for: request)
        accounts.withLock { $0 = ["ann"] + Array(repeating: "bob", count: 9) }
        let animation = try await fixture.loader.animation(for: request)
        try await animation.frames.prepare(from: 1)
        #expect(animation.frames.cachedFrame(at: 1)?.pixels.first == 11)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test(
        "a request isn't sent if the account changes while the application prepares it or answers a challenge",
        arguments: [false, true])
    func changedByApplication(isChallenge: Bool) async throws {
        let fixture = fixture { [user] parts in
            parts.transport = .cached(
                ModifyingTransport(
                    parts.transport, modify: { _ in if !isChallenge { user.account = "bob" } },
                    challengeHandler: { _, _ in
                        user.account = "bob"
                        return true
                    }))
        }
        let request = fixture.request("a", then: .status(.unauthorized))
        await #expect(throws: ImageError.accountChanged) { try await fixture.loader.image(for: request) }
        #expect(fixture.transport.sendCount == (isChallenge ? 1 : 0))
    }

    @Test("an original that the application fetches while the account changes belongs to nobody")
    func fetched() async throws {
        let fixture = fixture()
        let fetch = ImageOrigin.fetch(name: "a") { [user, his] in
            user.account = "bob"
            return his
        }
        await #expect(throws: ImageError.accountChanged) { try await fixture.loader.image(for: ImageRequest(fetch)) }
        #expect(fixture.memory.images.isEmpty && fixture.storedOriginals.isEmpty)
        #expect(try await fixture.loader.image(for: ImageRequest(fetch)).size.width == 30)
    }
}
