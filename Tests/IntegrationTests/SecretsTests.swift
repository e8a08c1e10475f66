import Foundation
import ImageCore
import ImageDiskCaching
import ImageHTTPCaching
import ImageLoaderKit
import ImageLoading
import ImageTieredCaching
import ImageTransporting
import Testing

@testable import ImageTesting

@Suite("Secrets in the caches of a loader", .timeLimit(.minutes(10)))
struct SecretsTests {
    private let headers = ["Authorization": "Bearer S3cretBearer", "Cookie": "session=S3cretCookie"]
    private let time = Date(timeIntervalSince1970: 1_800_000_000)

    /// The secrets, and what others can compute from them without a key.
    private var traces: [String] {
        let lines = headers.map { [$0.key.lowercased(), $0.value].textWithLengths }.sorted().joined()
        let texts = Array(headers.values) + ["S3cretUser:S3cretPassword", lines]
        return ["S3cretBearer", "S3cretCookie", "S3cretUser", "S3cretPassword"]
            + texts.map { SHA256.hexadecimalDigest(of: Array($0.utf8)) }
            + texts.map { Data($0.utf8).base64EncodedString() }
    }

    private func requests() throws -> [ImageRequest] {
        let url = try #require(URL(string: "https://S3cretUser:S3cretPassword@images.test/a"))
        let image = FakeImage.encode(width: 4, height: 4)
        let own = ["asset", String(repeating: "a", count: 2_000)].map { name in
            ImageRequest(.fetch(name: name) { image }, cachePolicy: .diskOnly)
        }
        return ([ImageRequest(url: url, cachePolicy: .diskOnly)] + own).map {
            var request = $0
            request.headers = HeaderFields(headers)
            return request
        }
    }

    @Test("no level of a tiered cache has credentials of a URL, of headers or of an own fetch's headers")
    func tiers() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let lower = InMemoryDataCache()
        let cache = TieredDataCache(upper: DiskDataCache(directory: folder) { time }, lower: lower)
        let origin = ScriptedTransport()
        let requests = try requests()
        let response = ScriptedTransport.Reply.ok(
            FakeImage.encode(width: 4, height: 4), headers: [.cacheControl: "max-age=60", .vary: "Cookie"])
        origin.script(try #require(requests[0].url), response)
        var configuration = ImageLoaderOptions(cacheDirectory: nil).makeParts()
        configuration.transport = .cached(
            CachingTransport(over: origin, cache: cache, clock: ManualClock()) { [time] in time })
        let loader = ImageLoader(configuration)
        for source in [ImageSource.network, .disk] {
            for request in requests { #expect(try await loader.data(for: request).source == source) }
        }
        await cache.flush()
        #expect(lower.entries.count >= 6)
        for (key, entry) in lower.entries {
            expectNoTrace(in: Data(key.identifier.utf8) + entry.metadata + entry.data, key.identifier)
        }
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where !file.hasDirectoryPath {
            expectNoTrace(in: Data(file.path.utf8) + (try Data(contentsOf: file)), file.path)
        }
    }

    private func expectNoTrace(in bytes: Data, _ place: String) {
        for trace in traces { #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace) in \(place)") }
    }
}
