import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting
import Testing

@testable import ImageHTTPCaching

@Suite("Explanations of the HTTP cache")
struct ExplanationTests {
    private let test = CachingFixture()

    @Test("a request and the target of its stored redirect are explained, with all variants")
    func redirect() async throws {
        test.script("/a", .text("", "Location: /b", "Cache-Control: max-age=600", status: .movedPermanently))
        test.script(
            "/b", .text("one", "Cache-Control: max-age=60", "Vary: Accept"),
            .text("four", "Cache-Control: max-age=30", "Vary: Accept"))
        for accept in ["a", "b"] { _ = try await test.get("/a", "Accept: \(accept)") }
        let explanations = await test.transport.explanations(of: CachingFixture.request("/a", ["Accept: b"]))
        #expect(explanations.map(\.url) == ["/a", "/b"].map(CachingFixture.url))
        #expect(explanations.map(\.key) == ["https://images.test/a", "https://images.test/b"])
        #expect(explanations.map { $0.variants.map(\.byteCount) } == [[0], [3, 4]])
        #expect(explanations.map { $0.variants.map(\.lifetime) } == [[600], [60, 30]])
        #expect(explanations.map { $0.selected?.lifetime } == [600, 30])
    }

    @Test("an explanation contains no credentials")
    func credentials() async throws {
        let url = try #require(URL(string: "https://eve:secret@images.test/a"))
        let explanations = await test.transport.explanations(of: TransportRequest(url: url))
        #expect(explanations.map(\.url) == [CachingFixture.url("/a")])
        #expect(explanations.map(\.key) == ["https://images.test/a private"])
        #expect(explanations.map(\.decision) == [.send(.absent)])
    }
}
