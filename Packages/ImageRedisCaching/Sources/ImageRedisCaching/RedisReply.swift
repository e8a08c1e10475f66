#if RedisCaching
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A reply of a Redis server (RESP2, https://redis.io/docs/latest/develop/reference/protocol-spec).
    enum RedisReply: Hashable, Sendable {
        case status(String)
        case error(RedisServerError)
        case integer(Int64)
        case bulk(Data)
        case array([RedisReply])
        case null

        /// The bytes of a status or a bulk string, as text.
        var text: String? {
            switch self {
            case .status(let text): text
            case .bulk(let bytes): String(decoding: bytes, as: UTF8.self)
            default: nil
            }
        }
    }

    /// An error that a server replies, such as "OOM command not allowed when used memory > 'maxmemory'.".
    struct RedisServerError: Error, Hashable, Sendable {
        /// The whole text.
        var text: String
        /// The first word, in capitals by convention.
        var code: Substring { text.prefix { $0 != " " } }

        /// Whether a server that replies this answers no command, until it is repaired or has started.
        var isOutage: Bool {
            ["LOADING", "MASTERDOWN", "CLUSTERDOWN", "BUSY", "NOAUTH", "WRONGPASS", "DENIED"].contains(code)
        }
    }

    /// Why a command has no reply, or an error as its reply.
    enum RedisFailure: Error, Hashable, Sendable {
        /// The server failed before, and the command was not sent. The text says how it failed.
        case unavailable(String)
        /// Too many commands wait for their replies, and the command was not sent.
        case overloaded
        /// The connection or the reply took too long.
        case timedOut
        /// There is no connection, or it was closed. The text says why.
        case disconnected(String)
        /// The bytes are no reply, or a limit is exceeded. The text says which.
        case malformed(String)
        /// The server replied an error.
        case server(RedisServerError)

        /// Whether the server is to be left alone for some time.
        var isOutage: Bool {
            switch self {
            case .unavailable, .overloaded: false
            case .timedOut, .disconnected, .malformed: true
            case .server(let error): error.isOutage
            }
        }
    }

    extension RedisFailure {
        /// The failure of an operation of a data cache.
        var asDataCacheFailure: DataCacheFailure {
            switch self {
            case .unavailable, .overloaded, .timedOut, .disconnected: .inaccessible("redis: \(self)")
            case .malformed: .io("redis: \(self)")
            case .server(let error): error.code == "OOM" ? .noSpace : .io("redis: \(self)")
            }
        }
    }

    extension RedisFailure: CustomStringConvertible {
        var description: String {
            switch self {
            case .unavailable(let reason): "not asked for some time after a failure: \(reason)"
            case .overloaded: "too many commands wait for their replies"
            case .timedOut: "timed out"
            case .disconnected(let reason), .malformed(let reason): reason
            case .server(let error): error.text
            }
        }
    }
#endif
