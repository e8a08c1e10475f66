import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import Synchronization
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("The order of starts")
struct StartOrderTests {
    private static func image(_ width: Int) -> Data { FakeImage.encode(width: width, height: 8) }

    private static func reply(_ width: Int, behind gate: TestGate) -> ScriptedTransport.Reply {
        ScriptedTransport.Reply(headers: [.eTag: "\"\(width)\""], body: [.wait(gate), .piece(image(width))])
    }

    /// Starts a request, and runs until no task is ready.
    @discardableResult
    private func start(
        _ request: ImageRequest, _ mode: ImageLoadMode, _ fixture: LoaderFixture
    ) -> Task<LoadedImage, any Error> {
        var request = request
        request.mode = mode
        let task = fixture.start { [request] in try await fixture.loader.image(for: request) }
        fixture.run()
        return task
    }

    private func widths(_ fixture: LoaderFixture) -> [Int] { fixture.memory.images.values.map(\.bitmap.size.width) }

    @Test("decides what memory and disk have, whatever the order of ends", arguments: 1...100 as ClosedRange<UInt64>)
    func random(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let fixture = LoaderFixture.stepped(SeededExecutor(seed: seed))
        var closed = (0..<6).map { _ in TestGate() }
        let request = fixture.request("a", fit: nil)
        fixture.transport.script(request.address, closed.indices.map { Self.reply(10 + $0, behind: closed[$0]) })
        var (newest, isInserted, openCount) = (0, false, 0)
        while fixture.transport.sendCount < 6 {
            let count = fixture.transport.sendCount
            if Int.random(in: 0..<8, using: &random) == 0 {
                (newest, isInserted) = (50, true)
                _ = fixture.start { await fixture.loader.cacheData(Self.image(50), for: request) }
                fixture.run()
            } else {
                let mode = [ImageLoadMode.standard, .reload, .revalidate, .ignoringStoredErrors].randomElement(
                    using: &random)
                start(request, mode ?? .reload, fixture)
            }
            if fixture.transport.sendCount > count { (newest, isInserted) = (9 + fixture.transport.sendCount, false) }
            while openCount < fixture.transport.sendCount, Bool.random(using: &random) {
                let sent = fixture.transport.sendCount - openCount
                closed.remove(at: Int.random(in: 0..<sent, using: &random)).open()
                openCount += 1
                fixture.run()
            }
        }
        for gate in closed.shuffled(using: &random) {
            gate.open()
            fixture.run()
        }
        #expect(fixture.storedOriginals == [Self.image(newest)])
        #expect(widths(fixture) == [newest] || isInserted && widths(fixture).isEmpty)
        #expect(fixture.loader.generations.withLock { $0.isEmpty } && fixture.coalescer.isIdle)
    }

    @Test("keeps an image that ends later than a newer 404 out of memory, as out of the disk")
    func notFound() async throws {
        let (fixture, gate) = (LoaderFixture.stepped(), TestGate())
        let request = fixture.request("a", fit: nil, first: Self.reply(10, behind: gate), then: .status(.notFound))
        let older = start(request, .standard, fixture)
        let newer = start(request, .reload, fixture)
        gate.open()
        fixture.run()
        #expect(try await older.value.decoded.bitmap.size.width == 10)
        await #expect(throws: ImageError.notFound) { try await newer.value }
        #expect(widths(fixture).isEmpty && fixture.loader.cachedImage(for: request) == nil)
        await #expect(throws: ImageError.notFound) { try await start(request, .onlyIfCached, fixture).value }
    }

    @Test("keeps an image that its server has confirmed since an older reload started")
    func confirmed() async throws {
        let (fixture, gate) = (LoaderFixture.stepped(), TestGate())
        gate.open()
        let request = fixture.request("a", fit: nil, first: Self.reply(10, behind: gate))
        start(request, .standard, fixture)
        let held = TestGate()
        fixture.transport.script(request.address, [Self.reply(20, behind: held), .status(.notModified)])
        let older = start(request, .reload, fixture)
        #expect(try await start(request, .revalidate, fixture).value.source == .validated)
        held.open()
        fixture.run()
        #expect(try await older.value.decoded.bitmap.size.width == 20)
        #expect(widths(fixture) == [10] && fixture.storedOriginals == [Self.image(10)])
    }

    @Test("ignores an attempt that failed and was answered with a stale image")
    func stale() async throws {
        let (fixture, gate) = (LoaderFixture.stepped(), TestGate())
        gate.open()
        var first = Self.reply(10, behind: gate)
        first.headers[.cacheControl] = "max-age=0, stale-if-error=600"
        let request = fixture.request("a", fit: nil, first: first)
        start(request, .standard, fixture)
        let held = TestGate()
        fixture.transport.script(request.address, [Self.reply(20, behind: held), .refused])
        start(request, .reload, fixture)
        fixture.memory.removeAll()
        #expect(try await start(request, .standard, fixture).value.source == .stale)
        held.open()
        fixture.run()
        #expect(widths(fixture) == [20] && fixture.storedOriginals == [Self.image(20)])
    }
}
