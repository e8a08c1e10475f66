import Foundation
import ImageCore
import Testing

@testable import ImageObserving

@Suite("Timeline of a request")
struct RequestTimelineTests {
    /// Returns the stages of events that are a second apart, as "name start-end", with "!" for incomplete ones.
    private func stages(_ kinds: ImageLoadEvent.Kind...) -> [String] {
        var timeline = RequestTimeline()
        return kinds.enumerated().compactMap { second, kind in
            timeline.handle(ImageLoadEvent(requestID: 1, url: nil, kind: kind, elapsed: .seconds(second)))
        }.map { "\($0.name) \($0.start.components.seconds)-\($0.end.components.seconds)\($0.isComplete ? "" : "!")" }
    }

    @Test("a download that is decoded and processed has all stages, in order")
    func download() {
        let size = PixelSize(width: 1, height: 1)
        #expect(
            stages(
                .started, .memoryMiss(.absent), .diskMiss(.absent), .queued(.download), .downloadStarted,
                .received(bytes: 1, of: 2), .downloadFinished(bytes: 2), .queued(.decode), .decodingStarted,
                .decoded(size), .queued(.decode), .processingStarted, .processed, .storedInMemory, .succeeded(.network))
                == [
                    "lookup 0-2", "queue 3-4", "download 4-6", "queue 7-8", "decode 8-9", "queue 10-11",
                    "process 11-12",
                ])
    }

    @Test("a hit in memory has no stage, and one on disk no download")
    func hits() {
        #expect(stages(.started, .memoryHit, .succeeded(.memory)) == [])
        #expect(
            stages(
                .started, .memoryMiss(.absent), .diskHit(bytes: 1), .queued(.decode), .decodingStarted,
                .succeeded(.disk))
                == ["lookup 0-2", "queue 3-4", "decode 4-5!"])
    }

    @Test("a stale response ends the lookup, and one that the server confirms its validation")
    func stale() {
        #expect(stages(.started, .staleHit(bytes: 1), .succeeded(.disk)) == ["lookup 0-1"])
        #expect(
            stages(.started, .diskMiss(.stale), .downloadStarted, .validated(bytes: 1), .succeeded(.disk))
                == ["lookup 0-1", "download 2-3"])
        #expect(
            stages(.started, .diskMiss(.stale), .queued(.download), .joined(bytes: 1)) == ["lookup 0-1", "queue 2-3"])
    }

    @Test(
        "each error has the name of its case or its status, and its label has one value for each class of status",
        arguments: [
            (ImageError.invalidURL("a"), "invalid_url"), (.invalidHeader("a"), "invalid_header"),
            (.network(.timedOut), "timedOut"), (.notFound, "not_found"), (.decoding(.cancelled), "decoding"),
            (.fetch(UnderlyingError(CancellationError())), "fetch"), (.circularFetch, "circular_fetch"),
            (.modifier(UnderlyingError(CancellationError())), "modifier"),
            (.processing(identifier: "a", UnderlyingError(CancellationError())), "processing"),
            (.tooLarge(byteLimit: 1), "too_large"), (.offline, "offline"), (.cancelled, "cancelled"),
            (.accountChanged, "account_changed"), (.shutDown, "shut_down"),
        ])
    func types(error: ImageError, type: String) {
        #expect(error.type == type)
        #expect(error.label == type)
    }

    @Test("the label of a status is its class", arguments: [(404, "4xx"), (500, "5xx"), (599, "5xx")])
    func label(status: Int, label: String) {
        #expect(ImageError.httpStatus(status).type == "\(status)")
        #expect(ImageError.httpStatus(status).label == label)
    }

    @Test("a request ends with its source, or with how it failed")
    func outcomes() {
        let kinds: [ImageLoadEvent.Kind] = [.succeeded(.network), .failed(.offline), .cancelled, .memoryHit]
        #expect(kinds.map(\.outcome) == ["network", "failed", "cancelled", nil])
    }

    @Test("after its end, a request is in no stage")
    func end() {
        var timeline = RequestTimeline()
        for kind in [ImageLoadEvent.Kind.started, .succeeded(.memory)] {
            _ = timeline.handle(ImageLoadEvent(requestID: 1, url: nil, kind: kind))
        }
        #expect(timeline.current == nil && timeline.outcome == "memory")
    }

    @Test("a download that is retried, or that a cancelled request leaves, is not complete")
    func incomplete() {
        #expect(
            stages(
                .started, .diskMiss(.absent), .queued(.download), .downloadStarted, .queued(.download),
                .downloadStarted, .cancelled)
                == ["lookup 0-1", "queue 2-3", "download 3-4!", "queue 4-5", "download 5-6!"])
    }

    @Test("stored bytes that are no image end their decoding without a result")
    func notAnImage() {
        #expect(
            stages(.started, .diskHit(bytes: 1), .queued(.decode), .decodingStarted, .diskMiss(.notAnImage))
                == ["lookup 0-1", "queue 2-3", "decode 3-4!"])
    }

    @Test("a request that shares the work of another one joins it")
    func joined() {
        #expect(
            stages(.started, .memoryMiss(.absent), .joined(bytes: 5), .succeeded(.network)) == ["join 0-2"])
    }

    @Test("work that needs no disk cache has no lookup, and a download that waits for a network is queued")
    func local() {
        #expect(
            stages(.started, .memoryMiss(.absent), .queued(.file), .downloadStarted, .downloadFinished(bytes: 1))
                == ["queue 2-3", "download 3-4"])
        #expect(
            stages(.started, .diskMiss(.absent), .waitingForNetwork, .deferred, .downloadStarted)
                == ["lookup 0-1", "queue 2-3", "queue 3-4"])
    }

    @Test("a table has requests until their end, and of too many whose end is not told only the newer ones")
    func table() {
        var table = RequestTable<String>(limit: 4)
        func handle(_ request: UInt64, _ kind: ImageLoadEvent.Kind) -> String? {
            table.handle(ImageLoadEvent(requestID: request, url: nil, kind: kind)) { value, timeline, _ in
                value += timeline.outcome ?? "."
                return value
            }
        }
        table.insert(1, "a")
        #expect([handle(1, .started), handle(1, .cancelled), handle(1, .started)] == ["a.", "a.cancelled", nil])
        for request in 1...5 { table.insert(UInt64(request), "\(request)") }
        #expect((1...5).map { handle($0, .started) } == [nil, nil, "3.", "4.", "5."])
    }

    @Test(
        "texts of URLs have no credentials, query, fragment or content",
        arguments: [
            ("https://user:pass@example.com:8443/a%20b.jpg?token=1#x", "https://example.com:8443/a%20b.jpg"),
            ("https://example.com/a@b/c.jpg", "https://example.com/a@b/c.jpg"),
            ("https://example.com/a.jpg#token=1", "https://example.com/a.jpg"),
            ("data:image/png;base64,AAAA", "data:image/png,…"), ("DATA:image/svg+xml,secret", "DATA:image/svg+xml,…"),
            ("file:///photos/a.jpg", "file:///photos/a.jpg"),
            ("https://user@pass@example.com/", "https://example.com/"),
            ("https://cdn.example/x/https://user:pass@example.com/y", "https://cdn.example/x/https://example.com/y"),
            ("https://a.org/1/https%3A%2F%2Fb.org%2Fc.jpg%3Ft=1@webp", "https://a.org/1/https%3A%2F%2Fb.org%2Fc.jpg"),
            ("https://img.example/https%3a%2f%2fu%3ap%40a.org%2fb%23c", "https://img.example/https%3a%2f%2fa.org%2fb"),
            ("https://a.org/https%3A%2F%2fu@b.org/c?d", "https://a.org/https%3A%2F%2fb.org/c"),
            ("https://u:a%2Fb@c.org/d", "https://c.org/d"), ("https://u:a%3Fb%23c@d.org/e%3Ff", "https://d.org/e"),
            ("https://a.org?x=//u@b.org", "https://a.org"), ("https://u:a@b.org?c@d", "https://b.org"),
        ])
    func secrets(address: String, text: String) throws {
        #expect(try #require(URL(string: address)).withoutSecrets == text)
        #expect(address.lowercased().hasPrefix("data:") || address.withoutSecrets == text)
    }

    @Test("texts have no control characters of terminals, in no encoding of them, and keep all others")
    func controls() {
        let controls: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0x61C...0x61C, 0x200E...0x200F,
        ]
        let scalars = controls.joined().compactMap { UnicodeScalar($0) }
        #expect(scalars.count == 33 + 32 + 7 + 4 + 3 && scalars.allSatisfy(String.isControl))
        #expect("a\u{1B}[31m\u{9B}\r\n\u{202E}é".withoutControls == "a?[31m????é")
        let text = "naïve 文字 \u{1F469}\u{200D}\u{1F467} \u{5D0}"
        #expect(text.withoutControls == text)
        #expect("a\u{2028}b".replacingControls { "<\($0.value)>" } == "a<8232>b")
    }
}
