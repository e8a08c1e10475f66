#if RedisCaching
    import Foundation
    import ImageCore
    import ImageRedisCaching
    import ImageTesting
    import LoopbackServer
    import RedisServerProcess
    import Testing

    @Suite("A cache on a server with TLS")
    struct RedisTLSTests {
        private let key = DataCacheKey(source: "a")
        private let entry = DataCacheEntry(data: Data([1]), createdAt: Date(timeIntervalSinceReferenceDate: 1))

        private func cache(
            _ server: RedisServerProcess, host: String, port: UInt16, configure: (inout RedisCacheOptions) -> Void
        ) throws -> RedisDataCache {
            var options = RedisCacheOptions()
            options.connectTimeout = .seconds(60)
            options.commandTimeout = .seconds(60)
            options.rootsFile = server.rootsFile
            configure(&options)
            let url = try #require(URL(string: "rediss://\(host):\(port)"))
            return try RedisDataCache(url: url, options: options, clock: ManualClock())
        }

        @Test("a certificate of the given authority for the host's name is accepted")
        func verified() async throws {
            let port = try RefusingPort().port
            let server = try await RedisServerProcess(.init(tlsPort: port))
            let cache = try cache(server, host: "localhost", port: port) { _ in }
            try await cache.store(entry, for: key)
            #expect(await cache.entry(for: key) == entry)
        }

        @Test("a certificate of another authority or for another name is refused, unless the options allow it")
        func refused() async throws {
            let port = try RefusingPort().port
            let server = try await RedisServerProcess(.init(tlsPort: port))
            let unknown = try cache(server, host: "localhost", port: port) { $0.rootsFile = nil }
            await #expect(throws: DataCacheFailure.self) { try await unknown.store(entry, for: key) }
            let otherName = try cache(server, host: "127.0.0.1", port: port) { _ in }
            await #expect(throws: DataCacheFailure.self) { try await otherName.store(entry, for: key) }
            let chainOnly = try cache(server, host: "127.0.0.1", port: port) { $0.tlsVerification = .chainOnly }
            try await chainOnly.store(entry, for: key)
            let unverified = try cache(server, host: "127.0.0.1", port: port) {
                ($0.rootsFile, $0.tlsVerification) = (nil, .none)
            }
            #expect(await unverified.entry(for: key) == entry)
        }

        @Test("a file of roots that can't be read is an error of the configuration")
        func missingRoots() throws {
            var options = RedisCacheOptions()
            options.rootsFile = "/nonexistent.pem"
            let url = try #require(URL(string: "rediss://localhost"))
            let error = #expect(throws: RedisConfigurationError.self) {
                try RedisDataCache(url: url, options: options, clock: ManualClock())
            }
            guard case .tls? = error else {
                Issue.record("the error is \(String(describing: error))")
                return
            }
        }
    }
#endif
