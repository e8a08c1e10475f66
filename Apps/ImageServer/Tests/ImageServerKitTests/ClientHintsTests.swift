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
}
