import Foundation
import HTTPTypes
import ImageCoalescing
import ImageCore
import ImageScheduling
import ImageTransporting
import Synchronization
import Testing

@testable import ImageLoading
@testable import ImageTesting

@Suite("Previews through the loader", .timeLimit(.minutes(10)))
struct PreviewTests {
    private let gates = [TestGate(), TestGate(), TestGate()]
    private let image = LoaderFixture.image

    /// Chunks of 10, 20 and 30 bytes, which end before the first, second and third gate.
    private var body: [ScriptedTransport.Step] {
        [
            .piece(image[0..<10]), .wait(gates[0]), .piece(Data(image[10..<20])), .wait(gates[1]),
            .piece(Data(image[20..<30])), .wait(gates[2]), .piece(Data(image[30...])),
        ]
    }

    private func fixture(
        _ decoder: ScriptedPreviews, scheduler: any WorkScheduler = ImmediateScheduler(), retries: Int = 0,
        throttle: PreviewThrottle = .unlimited
    ) -> LoaderFixture {
        LoaderFixture(scheduler: scheduler, retries: retries) {
            $0.decoder = decoder
            $0.previewThrottle = throttle
        }
    }

    private func request(_ fixture: LoaderFixture, isProgressive: Bool = true) -> ImageRequest {
        fixture.request("a", then: ScriptedTransport.Reply(body: body)) { $0.isProgressive = isProgressive }
    }

    private func openAll() { for gate in gates { gate.open() } }

    /// Returns a description of a preview, with its red value, or of a result.
    private func text(_ event: ImageTask.Event) -> String? {
        switch event {
        case .progress: nil
        case .preview(let image): "\(image.bitmap.pixels[0]) \(image.completeness)"
        case .finished(.success(let loaded)): "\(loaded.decoded.bitmap.size) \(loaded.decoded.completeness)"
        case .finished(.failure(let error)): "\(error)"
        }
    }

    private func next(_ iterator: inout ImageTask.Events.Iterator) async -> String? {
        while let event = await iterator.next() {
            if let text = text(event) { return text }
        }
        return nil
    }

    @Test("a progressive request receives previews during the transfer, then the image, and no preview is stored")
    func previews() async throws {
        let fixture = fixture(ScriptedPreviews())
        let task = fixture.loader.task(for: request(fixture))
        var events = task.events.makeAsyncIterator()
        #expect(await next(&events) == "10 preview")
        gates[0].open()
        #expect(await next(&events) == "20 preview")
        #expect(fixture.memory.images.isEmpty)
        var late = task.events.makeAsyncIterator()
        #expect(await next(&late) == "20 preview")
        openAll()
        var last: String?
        while let text = await next(&events) { last = text }
        #expect(last == "20x15 complete")
        #expect(fixture.memory.images.values.map(\.completeness) == [.complete])
        #expect(fixture.loader.previewSubscriptions.withLock { $0.isEmpty })
    }

    @Test("previews are made once a caller wants them, and only delivered to it")
    func subscriptions() async throws {
        let decoder = ScriptedPreviews()
        let fixture = fixture(decoder)
        let plain = fixture.loader.task(for: request(fixture, isProgressive: false))
        await gates[0].waitForArrivals(1)
        #expect(decoder.sessionCount == 0)
        let log = ProgressLog()
        let waiting = Task { [request = request(fixture, isProgressive: false)] in
            try await fixture.loader.image(for: request, onProgress: log.add)
        }
        let progressive = fixture.loader.task(for: request(fixture))
        let leaving = fixture.loader.task(for: request(fixture))
        await fixture.reaches(callers: 5)
        gates[0].open()
        var events = progressive.events.makeAsyncIterator()
        #expect(await next(&events) == "20 preview")
        leaving.cancel()
        await fixture.observer.waitUntil { $0.last?.kind == .cancelled }
        gates[1].open()
        #expect(await next(&events) == "30 preview")
        openAll()
        _ = try await progressive.image
        var others = plain.events.makeAsyncIterator()
        #expect(await next(&others) == "20x15 complete")
        _ = try await waiting.value
        #expect(log.all.allSatisfy { $0.preview == nil } && !log.all.isEmpty)
        #expect(fixture.transport.sendCount == 1)
    }

    @Test("each preview and the image are prepared before they are delivered")
    func preparing() async {
        let fixture = fixture(ScriptedPreviews())
        let task = fixture.loader.task(for: request(fixture))
        let log = Watched<[String]>([])
        let delivery = Task {
            await task.state.deliver(preparing: { bitmap in log.change { $0.append("\(bitmap.pixels[0])") } }) {
                event in
                if case .preview(let image) = event { log.change { $0.append("\(image.bitmap.pixels[0]) shown") } }
                if case .finished = event { log.change { $0.append("end") } }
            }
        }
        await log.waitUntil { $0.contains("10 shown") }
        openAll()
        await delivery.value
        #expect(log.value.prefix(2) == ["10", "10 shown"])
        #expect(log.value.last == "end" && log.value.dropLast().last?.hasSuffix("shown") == false)
    }

    @Test(
        "at most one preview waits, it is made of all received bytes, and the final image cancels it"
    )
    func backpressure() async throws {
        let scheduler = ManualDecodes()
        let decoder = ScriptedPreviews()
        let fixture = fixture(decoder, scheduler: scheduler)
        let task = fixture.loader.task(for: request(fixture))
        await scheduler.decodes.waitForArrivals(1)
        gates[0].open()
        gates[1].open()
        await gates[2].waitForArrivals(1)
        #expect(scheduler.decodes.waiting.count == 1)
        await scheduler.decodes.reaches(.normal, of: try #require(scheduler.decodes.waiting.first))
        try await scheduler.decodes.runNext()
        #expect(decoder.fed.messages == [30])
        // The last chunk requests a preview and cancels it before it is made. Then the final image waits.
        openAll()
        await fixture.observer.waitUntil { $0.contains { $0.kind == .queued(.decode) } }
        await becomesTrue { !scheduler.decodes.waiting.isEmpty }
        #expect(scheduler.decodes.waiting.count == 1)
        try await scheduler.decodes.runNext()
        #expect(try await task.image.decoded.completeness == .complete)
        #expect(decoder.fed.messages == [30])
    }

    @Test("a preview that is made or processed when the last byte arrives is not delivered", arguments: [false, true])
    func overtaken(isProcessed: Bool) async throws {
        let (gate, last) = (TestGate(), TestGate())
        let threads = DispatchTaskExecutor(name: "decoding", width: 2)  // for the blocking gates
        let scheduler = PriorityScheduler(lanes: [.decode: LaneOptions(limit: 2, executor: threads)])
        let decoder =
            isProcessed ? ScriptedPreviews() : ScriptedPreviews(FakeSizedImageDecoder(gate: last), gate: gate)
        let fixture = fixture(decoder, scheduler: scheduler)
        var request = request(fixture)
        let held = FakeProcessor("held") { bitmap in
            (bitmap.size.width == 1 ? gate : last).passBlocking()
            return bitmap
        }
        request.processors = isProcessed ? [held] : []
        let task = fixture.loader.task(for: request)
        await gate.waitForArrivals(1)
        openAll()
        await last.waitForArrivals(1)
        gate.open()
        await becomesTrue { scheduler.runningCount == 1 }
        last.open()
        var events = task.events.makeAsyncIterator()
        #expect(await next(&events) == "20x15 complete")
    }

    @Test("previews are made at the interval of the injected clock")
    func interval() async throws {
        let decoder = ScriptedPreviews()
        let fixture = fixture(decoder, throttle: PreviewThrottle(interval: .seconds(1), rowShare: 0))
        let task = fixture.loader.task(for: request(fixture))
        var events = task.events.makeAsyncIterator()
        #expect(await next(&events) == "10 preview")
        gates[0].open()
        await decoder.fed.waitForCount(2)
        fixture.clock.advance(by: .seconds(1))
        gates[1].open()
        #expect(await next(&events) == "30 preview")
        openAll()
        _ = try await task.image
    }

    @Test("processors are applied to previews, and decoding is shared")
    func processed() async throws {
        let decoder = ScriptedPreviews()
        let fixture = fixture(decoder)
        var request = request(fixture)
        request.processors = [
            FakeProcessor("plus 100") { bitmap in
                var pixels = bitmap.pixels
                pixels[0] &+= 100
                return Bitmap(size: bitmap.size, pixels: pixels, isOpaque: true)
            }
        ]
        let task = fixture.loader.task(for: request)
        var events = task.events.makeAsyncIterator()
        #expect(await next(&events) == "110 preview")
        gates[0].open()
        #expect(await next(&events) == "120 preview")
        openAll()
        _ = try await task.image
    }

    @Test("a restarted transfer delivers nothing until it has more bytes, and progress never decreases")
    func retried() async throws {
        let fixture = fixture(ScriptedPreviews(), retries: 1)
        let broken: [ScriptedTransport.Step] = [
            .piece(image[0..<20]), .wait(gates[0]), .fail(.connectionLost("cut")),
        ]
        var request = fixture.request(
            "a", first: ScriptedTransport.Reply(body: broken),
            then: ScriptedTransport.Reply(body: [
                .piece(image[0..<15]), .wait(gates[1]), .piece(Data(image[15..<30])), .wait(gates[2]),
                .piece(Data(image[30...])),
            ]))
        request.isProgressive = true
        let log = ProgressLog()
        let task = Task { [request] in try await fixture.loader.image(for: request, onProgress: log.add) }
        await log.reaches { $0.preview != nil }
        gates[0].open()
        await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(1))
        await gates[1].waitForArrivals(1)
        gates[1].open()
        await log.reaches { $0.preview?.number == 1 }
        openAll()
        _ = try await task.value
        #expect(log.all.map(\.completedByteCount) == log.all.map(\.completedByteCount).sorted())
        let reds = log.all.compactMap { $0.preview?.image.bitmap.pixels[0] }
        #expect(Set(reds).subtracting([UInt8(image.count)]) == [20, 30])
        #expect(reds == reds.sorted())
    }
}

@Suite("Previews of images whose stored bytes are undecodable", .timeLimit(.minutes(10)))
struct RenewedPreviewTests {
    private let gates = [TestGate(), TestGate()]
    private let fixture = LoaderFixture(adjust: { ($0.decoder, $0.previewThrottle) = (ScriptedPreviews(), .unlimited) })

    /// Returns a request whose stored original, of 60 bytes, is undecodable. The new one waits after 10 and 20 bytes.
    private func request(
        _ others: [ScriptedTransport.Reply] = [], adjust: (inout ImageRequest) -> Void = { _ in }
    ) async throws -> ImageRequest {
        let image = LoaderFixture.image
        let body: [ScriptedTransport.Step] = [
            .piece(image[0..<10]), .wait(gates[0]), .piece(Data(image[10..<20])), .wait(gates[1]),
            .piece(Data(image[20...])),
        ]
        var request = fixture.request("a")
        let broken = ScriptedTransport.Reply.ok(Data(repeating: 1, count: 60), headers: [.eTag: "\"1\""])
        fixture.transport.script(request.address, [broken] + others + [ScriptedTransport.Reply(body: body)])
        _ = try await fixture.loader.data(for: request)
        request.isProgressive = true
        adjust(&request)
        return request
    }

    /// Returns the red values of the previews that a task reports up to the one with `last`.
    private func previews(_ task: ImageTask, upTo last: UInt8) async -> [UInt8] {
        var reds: [UInt8] = []
        for await case .preview(let image) in task.events {
            reds.append(image.bitmap.pixels[0])
            if reds.last == last { break }
        }
        return reds
    }

    @Test("the new download delivers previews, too", arguments: [ImageLoadMode.standard, .revalidate])
    func renewed(mode: ImageLoadMode) async throws {
        let notModified: [ScriptedTransport.Reply] = mode == .revalidate ? [.status(.notModified)] : []
        let task = fixture.loader.task(for: try await request(notModified) { $0.mode = mode })
        #expect(await previews(task, upTo: 10).last == 10)
        gates[0].open()
        #expect(await previews(task, upTo: 20).last == 20)
        gates[1].open()
        #expect(try await task.image.decoded.completeness == .complete)
        #expect(fixture.transport.sendCount == (mode == .standard ? 2 : 3))
    }
}

@Suite("Smaller images as previews", .timeLimit(.minutes(10)))
struct LowQualityTests {
    private let fixture = LoaderFixture()
    private let gate = TestGate()

    private func request(_ smaller: [ImageRequest]) -> ImageRequest {
        let body: [ScriptedTransport.Step] = [.wait(gate), .piece(LoaderFixture.image)]
        return fixture.request("full", then: ScriptedTransport.Reply(body: body)) { $0.lowQuality = smaller }
    }

    private func text(_ event: ImageTask.Event?) -> String? {
        switch event {
        case .progress(let progress): "\(progress.completedByteCount)"
        case .preview(let image): "\(image.bitmap.size) \(image.completeness)"
        case .finished(let result): (try? result.get()).map { "\($0.decoded.bitmap.size)" } ?? "failed"
        case nil: nil
        }
    }

    @Test("a smaller image is delivered as a preview before the image")
    func thumbnail() async {
        let task = fixture.loader.task(for: request([fixture.request("thumbnail", fit: 4)]))
        var events = task.events.makeAsyncIterator()
        #expect(text(await events.next()) == "4x3 preview")
        gate.open()
        #expect(text(await events.next()) == "\(LoaderFixture.image.count)")
        #expect(text(await events.next()) == "20x15")
    }

    @Test("a smaller image in memory is available when the task is returned, and a worse one is not delivered later")
    func inMemory() async throws {
        let worse = fixture.request("worse", fit: 2)
        let better = fixture.request("better", fit: 8)
        _ = try await fixture.loader.image(for: better)
        let task = fixture.loader.task(for: request([worse, better]))
        await fixture.observer.waitUntil { events in events.count { $0.kind == .succeeded(.network) } == 2 }
        var events = task.events.makeAsyncIterator()
        #expect(text(await events.next()) == "8x6 preview")
        gate.open()
        var rest: [String] = []
        while let event = text(await events.next()) { rest.append(event) }
        #expect(rest == ["\(LoaderFixture.image.count)", "20x15"])
    }

    @Test("the image's first own preview follows that of a smaller image")
    func ownPreview() async throws {
        let smaller = fixture.request("smaller", fit: 8)
        _ = try await fixture.loader.image(for: smaller)
        let task = fixture.loader.task(for: request([smaller]))
        var events = task.events.makeAsyncIterator()
        #expect(text(await events.next()) == "8x6 preview")
        let own = try await fixture.loader.image(for: fixture.request("own", fit: 12)).decoded
        task.state.report(ImagePreview(own, number: 0))
        gate.open()
        #expect(text(await events.next()) == "12x9 preview")
    }

    @Test("a failed smaller image is ignored, and a loading one is cancelled when the image is available")
    func failsOrIsLate() async throws {
        let held = TestGate()
        let late = fixture.request("late", then: ScriptedTransport.Reply(body: [.wait(held)]))
        let broken = fixture.request("broken", then: .failure(.connectionFailed("refused")))
        let task = fixture.loader.task(for: request([broken, late]))
        await held.waitForArrivals(1)
        await fixture.observer.waitUntil { $0.contains { if case .failed = $0.kind { true } else { false } } }
        gate.open()
        _ = try await task.image
        await fixture.transport.waitForCancellations(1)
        held.open()
    }
}
