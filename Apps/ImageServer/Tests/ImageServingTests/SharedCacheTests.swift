#if Redis
    import Foundation
    import HTTPTypes
    import LoopbackServer
    import RedisServerProcess
    import Testing

    @Suite("Two servers on one Redis server", .timeLimit(.minutes(10)))
    struct SharedCacheTests {
        private func level(_ headers: HTTPFields) -> String? { HTTPField.Name("X-Cache").flatMap { headers[$0] } }

        private func withPair(
            _ redis: RedisServerProcess, origin: LoopbackServer,
            _ body: (RunningServer, RunningServer) async throws -> Void
        ) async throws {
            let settings = ["--redis-url", redis.url.absoluteString]
            try await withServer(settings, origin: origin) { first async throws in
                try await withServer(settings, origin: origin) { second async throws in
                    try await body(first, second)
                }
            }
        }

        @Test("a result of one is served by the other, without the origin and without decoding")
        func sharing() async throws {
            let redis = try await RedisServerProcess()
            let origin = try Samples.origin(headers: ["Cache-Control": "max-age=600"])
            try await withPair(redis, origin: origin) { first, second async throws in
                let path = imagePath("w:16/f:png", origin.url("/a.jpg"))
                let rendered = try await first.send(path)
                let shared = try await second.send(path)
                #expect(level(rendered.headers) == "origin")
                #expect(level(shared.headers) == "shared")
                #expect(shared.body == rendered.body && shared.headers[.eTag] == rendered.headers[.eTag])
                let metrics = String(decoding: try await second.send("/metrics").body, as: UTF8.self)
                #expect(metrics.contains("image_renderings_total{format=\"png\"} 0\n"))
            }
            #expect(origin.requestCount == 1)
        }

        @Test("requests to both for one cold image make one request to the origin")
        func oneRequest() async throws {
            let redis = try await RedisServerProcess()
            let held = LoopbackSignal()
            let origin = try Samples.origin(holdingAt: held, headers: ["Cache-Control": "max-age=600"])
            try await withPair(redis, origin: origin) { first, second async throws in
                let path = imagePath("w:16/f:png", origin.url("/a.jpg"))
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<100 {
                        group.addTask { try await first.status(path) }
                        group.addTask { try await second.status(path) }
                    }
                    await held.arrivals(1)
                    held.open()
                    return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
                }
                #expect(statuses == [200])
            }
            #expect(origin.requestCount == 1)
        }

        @Test("both answer without the Redis server, and use it again when it is back")
        func outage() async throws {
            let redis = try await RedisServerProcess()
            let origin = try Samples.origin()
            try await withPair(redis, origin: origin) { first, second async throws in
                try await redis.crash()
                let path = imagePath("w:16/f:png", origin.url("/a.jpg"))
                #expect(try await first.status(path) == 200)
                #expect(try await second.status(path) == 200)
                try await redis.start()
                // The circuit breaker tries the server again after a growing pause.
                var number = 0
                var shared = false
                while !shared {
                    number += 1
                    let path = imagePath("w:16/cb:\(number)/f:png", origin.url("/a.jpg"))
                    _ = try await first.send(path)
                    shared = level(try await second.send(path).headers) == "shared"
                }
            }
        }
    }
#endif
