import Foundation
import ImageServerKit
import Logging
import LoopbackServer
import Synchronization
import Testing

@Suite("Caches that fail", .timeLimit(.minutes(5)))
struct CacheFailureTests {
    @Test("a failure of the cache of originals is a warning once, at any level of the log, and counted")
    func sourceCache() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "failing-cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = Mutex(Data())
        let output = LogOutput(now: { Date() }) { bytes in text.withLock { $0 += bytes } }
        var logger = Logger(label: "test") { LineLogHandler(label: $0, format: .text, output: output) }
        logger.logLevel = .debug
        let origin = try Samples.origin(headers: ["Cache-Control": "max-age=600"])
        let settings = ["--cache-directory", folder.path(percentEncoded: false), "--log-level", "debug"]
        try await withServer(settings, origin: origin, logger: logger) { server async throws in
            let sources = folder.appending(path: "sources")
            try FileManager.default.removeItem(at: sources)
            try Data().write(to: sources)
            for width in 1...3 {
                #expect(try await server.status(imagePath("w:\(width)", origin.url("/\(width).jpg"))) == 200)
            }
            let metrics = String(decoding: try await server.send("/metrics").body, as: UTF8.self)
            let line = metrics.split(separator: "\n").first { $0.hasPrefix("image_loader_disk_failures_total ") }
            #expect(line?.split(separator: " ").last.flatMap { Int($0) } ?? 0 >= 3)
        }
        output.flush()
        let lines = text.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n")
        let warnings = lines.filter { $0.contains(" warning ") && $0.contains("cache") }
        #expect(warnings.count == 1 && warnings.first?.contains("source cache failed") == true, "\(warnings)")
    }
}
