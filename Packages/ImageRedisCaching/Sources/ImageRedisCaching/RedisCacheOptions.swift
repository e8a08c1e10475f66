#if RedisCaching
    public import ImageCore

    /// The options of a cache on a Redis server. All servers that share entries must use the same namespace.
    public struct RedisCacheOptions: Sendable {
        /// What a TLS connection verifies.
        @nonexhaustive
        public enum TLSVerification: Sendable, CaseIterable {
            /// The certificate's chain and its name.
            case full
            /// The certificate's chain only.
            case chainOnly
            /// Nothing. Anyone on the network can read and change entries.
            case disabled
        }

        /// The first part of each key on the server: 1 to 64 letters, digits, dots, hyphens and underscores.
        public var namespace = "images"
        /// What a `rediss` connection verifies. The default is `.full`.
        public var tlsVerification = TLSVerification.full
        /// The path of a PEM file with root certificates that replace the system's.
        public var rootsFile: String?
        /// The time after which an entry is removed, from a millisecond to 100 years. The default is 7 days.
        public var lifetime = Duration.seconds(7 * 86_400)
        /// The largest entry, in bytes, with its key and metadata. The default is 16 MiB.
        public var entryByteLimit = 16 << 20
        /// The largest number of commands that wait for their replies. Further ones fail at once. The default is 1,024.
        public var maxWaitingCommands = 1_024
        /// The maximum time to connect, and then for TLS and authentication. The default is 500 ms.
        public var connectTimeout = Duration.milliseconds(500)
        /// The maximum time between a command and its reply. The connection is then closed. The default is 500 ms.
        public var commandTimeout = Duration.milliseconds(500)
        /// The time without commands after a failure. Doubles with each further one. The default is 100 ms.
        public var retryDelay = Duration.milliseconds(100)
        /// The largest time without commands after a failure. The default is 10 seconds.
        public var maxRetryDelay = Duration.seconds(10)

        /// Creates options with the default values.
        public init() {}

        /// Whether the namespace has only allowed characters, none of which has a meaning in a pattern of SCAN.
        var isNamespaceValid: Bool {
            let allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8
            return (1...64).contains(namespace.utf8.count) && namespace.utf8.allSatisfy(allowed.contains)
        }
    }

    /// Why a cache on a Redis server can't be created.
    @nonexhaustive
    public enum RedisConfigurationError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
        /// The URL is not one of a Redis server. The text doesn't contain the URL, which can have a password.
        case invalidURL(String)
        /// The namespace is empty, too long, or has other characters.
        case invalidNamespace(String)
        /// TLS can't be set up.
        case tls(String)

        public var errorDescription: String? { description }
        public var description: String {
            switch self {
            case .invalidURL(let text): "not the URL of a Redis server: \(text)"
            case .invalidNamespace(let name): "not a namespace: \(name)"
            case .tls(let text): "TLS can't be set up: \(text)"
            }
        }
    }
#endif
