import CommandRunning
import Foundation
import LoopbackServer
import Testing

private let browser = "/usr/bin/chromium"

/// The landing page in Chromium without a window. `Scripts/bootstrap --for-browser` installs it.
@Suite(
    "The landing page", .enabled(if: FileManager.default.isExecutableFile(atPath: browser)), .serialized,
    .timeLimit(.minutes(5)))
struct LandingPageTests {
    @Test("shows the image of its address, and what is known of it")
    func result() async throws {
        let origin = try Samples.origin()
        try await withServer(origin: origin) { server async throws in
            let address = origin.url("/a.jpg?b=1&c=2").absoluteString
            let page = try await content(of: server, showing: address)
            #expect(page.contains("src=\"blob:http://127.0.0.1:\(server.port)/"))
            #expect(page.contains("alt=\"Result of \(address.replacing("&", with: "&amp;"))\""))
            #expect(page.contains("<section id=\"result\" aria-labelledby=\"heading\">"))
            #expect(page.contains("<td>64 × 32 pixels</td>"))
            #expect(page.contains("<td>rendered now</td>"))
            #expect(page.contains("<th scope=\"row\">decode</th>"))
            #expect(origin.log.map(\.target) == ["/a.jpg?b=1&c=2"])
        }
    }

    @Test("says why there is no image")
    func refusal() async throws {
        try await withServer { server async throws in
            let page = try await content(of: server, showing: "http://127.0.0.1/a.jpg")
            #expect(page.contains("class=\"bad\">502: "))
            #expect(page.contains("<section id=\"result\" aria-labelledby=\"heading\" hidden=\"\">"))
        }
    }

    /// Returns the page's elements after its scripts ran.
    private func content(of server: RunningServer, showing source: String) async throws -> String {
        let profile = FileManager.default.temporaryDirectory.appending(path: "chromium-\(UUID().uuidString)")
        let query = source.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let result = try await CommandResult.run(
            browser,
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server", "--user-data-dir=\(profile.path)",
                "--virtual-time-budget=10000", "--dump-dom", "http://127.0.0.1:\(server.port)/?source=\(query)",
            ])
        try FileManager.default.removeItem(at: profile)
        try #require(result.status == 0, "\(String(decoding: result.errors, as: UTF8.self))")
        return String(decoding: result.output, as: UTF8.self)
    }
}
