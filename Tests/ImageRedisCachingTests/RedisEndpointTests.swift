#if RedisCaching
    import Foundation
    import ImageCore
    import ImageTesting
    import Testing

    @testable import ImageRedisCaching

    @Suite("The URL of a server")
    struct RedisEndpointTests {
        struct Case: Sendable, CustomTestStringConvertible {
            var url: String
            var address: RedisEndpoint.Address
            var usesTLS = false
            var user: String?
            var password: String?
            var database = 0
            var testDescription: String { url }
        }

        @Test(
            "host, port, user, password, database and socket are read from the URL",
            arguments: [
                Case(url: "redis://cache", address: .host("cache", port: 6_379)),
                Case(url: "redis://cache:7000/", address: .host("cache", port: 7_000)),
                Case(url: "REDISS://cache:7000/3", address: .host("cache", port: 7_000), usesTLS: true, database: 3),
                Case(url: "redis://:p%40ss@cache", address: .host("cache", port: 6_379), password: "p@ss"),
                Case(
                    url: "redis://me:secret@10.0.0.1/1", address: .host("10.0.0.1", port: 6_379), user: "me",
                    password: "secret", database: 1),
                Case(url: "redis://[::1]:7000", address: .host("::1", port: 7_000)),
                Case(url: "unix:///run/redis.sock", address: .unix(path: "/run/redis.sock")),
                Case(url: "unix:///run/a%20b?database=4", address: .unix(path: "/run/a b"), database: 4),
                Case(
                    url: "redis+unix://:secret@/run/redis.sock?db=2", address: .unix(path: "/run/redis.sock"),
                    password: "secret", database: 2),
            ])
        func valid(_ expected: Case) throws {
            let endpoint = try RedisEndpoint(#require(URL(string: expected.url)))
            #expect(endpoint.address == expected.address)
            #expect(endpoint.usesTLS == expected.usesTLS)
            #expect(endpoint.user == expected.user)
            #expect(endpoint.password == expected.password)
            #expect(endpoint.database == expected.database)
        }

        @Test(
            "other URLs are refused, and the error has no password",
            arguments: [
                "http://cache", "redis:///1", "redis://:secret@cache/one", "redis://:secret@cache/-1", "unix:///",
                "unix:///run/socket?db=x",
            ])
        func invalid(_ text: String) throws {
            let url = try #require(URL(string: text))
            let error = #expect(throws: RedisConfigurationError.self) { try RedisEndpoint(url) }
            #expect("\(String(describing: error))".contains("secret") == false)
        }

        @Test(
            "a namespace with characters that mean something to the server is refused",
            arguments: ["", "a*", "a:b", "ü"])
        func namespace(_ name: String) throws {
            var options = RedisCacheOptions()
            options.namespace = name
            let url = try #require(URL(string: "redis://cache"))
            #expect(throws: RedisConfigurationError.invalidNamespace(name)) {
                try RedisDataCache(url: url, options: options, clock: ManualClock())
            }
        }
    }
#endif
