import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import Testing

@testable import ImageServerKit

@Suite struct ClientHintsTests {
    private func fields(_ fields: [String: String]) -> HTTPFields {
        fields.reduce(into: HTTPFields()) { result, field in
            if let name = HTTPField.Name(field.key) { result[name] = field.value }
        }
    }

    private func answer(_ text: String, _ hints: [String: String], isEnabled: Bool = true) async throws
        -> ServerResponse
    {
        let fixture = try ServiceFixture.withImage()
        var parts = fixture.makeService().parts
        parts.usesClientHints = isEnabled
        let handler = fixture.makeHandler(ImageService(parts))
        return await handler.answer(ServiceFixture.path(text), .get, fields(hints))
    }

    @Test(
        "uses the width and the pixel ratio of the client if the URL has none",
        arguments: [
            (["Width": "20"], "el:1", "20x10"), (["DPR": "2"], "w:10", "20x10"),
            (["Width": "20", "DPR": "2"], "el:1", "20x10"),
            (["Sec-CH-Width": "20", "Sec-CH-DPR": "2"], "el:1", "20x10"),
            (["Width": "20"], "w:40", "40x20"), (["DPR": "2"], "w:10/dpr:1", "10x5"), (["DPR": "9"], "w:10", "10x5"),
            (["Width": "-5", "DPR": "nan"], "w:10", "10x5"), (["Width": "x"], "h:10", "20x10"), ([:], "w:10", "10x5"),
            (["Width": "20", "DPR": "1e-300"], "el:1", "20x10"), (["Width": "20", "DPR": "0.0009"], "el:1", "20x10"),
            (["Width": "65535", "DPR": "0.001"], "el:1", "1000x500"),
        ] as [([String: String], String, String)])
    func sizes(hints: [String: String], text: String, expected: String) async throws {
        #expect(try await answer(text, hints)["X-Result-Size"] == expected)
    }

    @Test("tells caches that the result depends on the hints, and ignores them if they are off")
    func vary() async throws {
        let names = "Sec-CH-DPR, DPR, Sec-CH-Width, Width, Save-Data"
        #expect(try await answer("f:png", [:])["Vary"] == names)
        #expect(try await answer("w:10", [:])["Vary"] == "Accept, " + names)
        let off = try await answer("f:png", ["Width": "20"], isEnabled: false)
        #expect(off["Vary"] == nil && off["X-Result-Size"] == "80x40")
    }

    @Test("lowers the quality for clients that save data, unless the URL has one")
    func saveData() async throws {
        let saving = ["Save-Data": "on"]
        let (full, less) = (try await answer("f:jpg", [:]), try await answer("f:jpg", saving))
        #expect(less.body.count < full.body.count)
        #expect(try await answer("f:jpg/q:80", saving).body == answer("f:jpg/q:80", [:]).body)
        #expect(try await answer("f:jpg", ["Save-Data": "off"]).body == full.body)
        var parts = try ServiceFixture.withImage().makeService().parts
        parts.usesClientHints = true
        parts.renderer.standardQuality = [.jpeg: 30]
        let handler = ServiceFixture().makeHandler(ImageService(parts))
        let path = ServiceFixture.path("f:jpg")
        #expect(await handler.answer(path, .get, fields(saving)).body == handler.answer(path).body, "30 is lower")
    }

    @Test("keeps the results of different clients apart")
    func keys() async throws {
        let fixture = try ServiceFixture.withImage()
        var parts = fixture.makeService().parts
        parts.usesClientHints = true
        let handler = fixture.makeHandler(ImageService(parts))
        let path = ServiceFixture.path("w:10/f:png")
        for (hints, expected) in [
            (["DPR": "2"], "20x10"), (["DPR": "1"], "10x5"), ([:], "10x5"), (["DPR": "2"], "20x10"),
        ] {
            #expect(await handler.answer(path, .get, fields(hints))["X-Result-Size"] == expected)
        }
    }

    private func prioritized() throws -> RequestHandler {
        let fixture = try ServiceFixture.withImage()
        var parts = fixture.makeService().parts
        parts.usesPriority = true
        return fixture.makeHandler(ImageService(parts))
    }

    @Test(
        "a JPEG is progressive if the Priority of the client says that it is shown while it arrives",
        arguments: [
            ("f:jpg", "u=1, i", true), ("w:10", "i", true), ("f:jpg", "i=?1;a", true), ("f:jpg", "i=?0", false),
            ("f:jpg", "u=1", false), ("f:jpg", "i=1", false), ("f:jpg", "u=1, i=", false), ("f:jpg", nil, false),
        ] as [(String, String?, Bool)])
    func progressive(options: String, priority: String?, expected: Bool) async throws {
        let fields = fields(priority.map { ["Priority": $0] } ?? [:])
        let response = try await prioritized().answer(ServiceFixture.path(options), .get, fields)
        // The marker of a progressive frame.
        #expect((response.body.firstRange(of: Data([0xFF, 0xC2])) != nil) == expected)
        #expect(response["Vary"] == (options == "f:jpg" ? "Priority" : "Accept, Priority"))
    }

    @Test(
        "results are kept apart by Priority only if they can be progressive",
        arguments: [
            ("f:jpg", nil, "origin", "Priority"), ("f:png", nil, "memory", nil), ("f:webp", nil, "memory", nil),
            ("w:10", nil, "origin", "Accept, Priority"), ("w:10", "image/webp", "memory", "Accept, Priority"),
        ] as [(String, String?, String, String?)])
    func priorityKeys(options: String, accept: String?, level: String, vary: String?) async throws {
        let handler = try prioritized()
        var request = accept.map { ["Accept": $0] } ?? [:]
        _ = await handler.answer(ServiceFixture.path(options), .get, fields(request))
        request["Priority"] = "i"
        for expected in [level, "memory"] {
            let response = await handler.answer(ServiceFixture.path(options), .get, fields(request))
            #expect(response["X-Cache"] == expected && response["Vary"] == vary)
        }
    }

    @Test("Priority changes nothing if the setting is off")
    func priorityOff() async throws {
        let response = try await answer("f:jpg", ["Priority": "i"], isEnabled: false)
        #expect(response.body == (try await answer("f:jpg", [:], isEnabled: false)).body && response["Vary"] == nil)
    }

    @Test("a purge of a result hides those of all clients")
    func purging() async throws {
        let fixture = try ServiceFixture.withImage()
        var parts = fixture.makeService().parts
        parts.usesClientHints = true
        parts.usesPriority = true
        let handler = fixture.makeHandler(ImageService(parts))
        let path = ServiceFixture.path("w:10/f:jpg")
        let clients = [[:], ["DPR": "2"], ["Save-Data": "on"], ["Priority": "i"]].map(fields)
        for client in clients { #expect(await handler.answer(path, .get, client)["X-Cache"] == "origin") }
        fixture.advance(seconds: 1)
        #expect(await handler.answer(path, .delete, [.authorization: "Bearer secret"]).status == 204)
        fixture.advance(seconds: 1)
        for client in clients { #expect(await handler.answer(path, .get, client)["X-Cache"] == "origin") }
    }
}
