#if RedisCaching
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A server, and how to log in: the contents of a URL.
    ///
    /// - `redis://[[user]:password@]host[:port][/database]`
    /// - `rediss://` with the same parts, over TLS
    /// - `unix:///path[?database=number]` or `redis+unix:///path`, with the user and the password in front of the path
    ///
    /// The forms with a host are those of the IANA registry of URI schemes ("redis", "rediss").
    struct RedisEndpoint: Hashable, Sendable {
        enum Address: Hashable, Sendable {
            case host(String, port: Int)
            case unix(path: String)
        }

        var address: Address
        var usesTLS = false
        var user: String?
        var password: String?
        var database = 0

        init(_ url: URL) throws(RedisConfigurationError) {
            switch url.scheme?.lowercased() {
            case "redis", "rediss":
                guard let host = url.host(percentEncoded: false), !host.isEmpty else {
                    throw .invalidURL("it has no host")
                }
                address = .host(host.trimmed(of: "[", "]"), port: url.port ?? 6_379)
                usesTLS = url.scheme?.lowercased() == "rediss"
                database = try Self.number(String(url.path(percentEncoded: false).drop { $0 == "/" }))
            case "unix", "redis+unix":
                let path = url.path(percentEncoded: false)
                guard !path.isEmpty, path != "/" else { throw .invalidURL("it has no path of a socket") }
                address = .unix(path: path)
                database = try Self.number(Self.databaseParameter(of: url) ?? "")
            default: throw .invalidURL("its scheme is not redis, rediss, unix or redis+unix")
            }
            user = url.user(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 }
            password = url.password(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 }
        }

        private static func number(_ text: String) throws(RedisConfigurationError) -> Int {
            if text.isEmpty { return 0 }
            guard let number = Int(text) else { throw .invalidURL("the database is not a number") }
            if number < 0 { throw .invalidURL("the database is negative") }
            return number
        }

        private static func databaseParameter(of url: URL) -> String? {
            URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?
                .first { ["database", "db"].contains($0.name) }?.value
        }
    }

    extension String {
        /// Returns the text without these characters around it.
        fileprivate func trimmed(of first: Character, _ last: Character) -> String {
            self.first == first && self.last == last ? String(dropFirst().dropLast()) : self
        }
    }
#endif
