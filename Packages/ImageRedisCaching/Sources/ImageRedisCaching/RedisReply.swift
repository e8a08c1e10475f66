#if RedisCaching
    import CImageRedisCaching
    import ImageCore

    /// A reply of a Redis server (RESP2).
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

    /// An error that a server replies.
    struct RedisServerError: Error, Hashable, Sendable {
        var text: String
        /// The first word, in capitals by convention.
        var code: Substring { text.prefix { $0 != " " } }

        /// Whether the server answers no command, until it is repaired or has started.
        var isOutage: Bool {
            ["LOADING", "MASTERDOWN", "CLUSTERDOWN", "BUSY", "NOAUTH", "WRONGPASS", "DENIED"].contains(code)
        }
    }

    /// Why a command has no reply, or an error as its reply.
    enum RedisFailure: Error, Hashable, Sendable {
        /// The server failed before as the text says, and the command was not sent.
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
        var asDataCacheError: DataCacheError {
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

    /// Parses replies incrementally with hiredis. The limits are checked before memory is allocated.
    @safe final class RedisReplyParser {
        /// The limits of a reply.
        struct Limits: Hashable, Sendable {
            /// The length of a bulk string, in bytes.
            var bulkBytes: Int
            /// The length of any other value, in bytes.
            var lineBytes = 64 << 10
            /// The number of elements of all arrays together.
            var elements = 20_000
        }

        /// hiredis moves the rest of its buffer after each kilobyte of replies.
        private static let pieceBytes = 64 << 10

        private let parser: OpaquePointer

        init?(limits: Limits) {
            let limits = irc_limits(bulk: limits.bulkBytes, line: limits.lineBytes, elements: limits.elements)
            guard let made = unsafe irc_parser_make(limits) else { return nil }
            unsafe parser = made
        }

        deinit { unsafe irc_parser_free(parser) }

        /// Throws `.malformed`, after which the parser can't be used anymore.
        func replies(with bytes: UnsafeRawBufferPointer) throws(RedisFailure) -> [RedisReply] {
            var replies: [RedisReply] = []
            for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
                let piece = unsafe bytes[start..<min(start + Self.pieceBytes, bytes.count)]
                // hiredis copies the bytes. The piece is not empty, so it has a base address.
                let isFed = unsafe UnsafeRawBufferPointer(rebasing: piece).withMemoryRebound(to: UInt8.self) {
                    unsafe irc_parser_feed(parser, $0.baseAddress, $0.count)
                }
                try check(isFed)
                while let reply = try next() { replies.append(reply) }
            }
            return replies
        }

        private func next() throws(RedisFailure) -> RedisReply? {
            var reply: OpaquePointer?
            let status = unsafe irc_parser_next(parser, &reply)
            if status == IRC_INCOMPLETE { return nil }
            try check(status)
            guard let reply = unsafe reply else { throw .malformed("there is no reply") }
            defer { unsafe irc_reply_free(reply) }
            return unsafe Self.value(of: reply)
        }

        private func check(_ status: irc_status) throws(RedisFailure) {
            switch status {
            case IRC_PARSED: return
            case IRC_TOO_LARGE: throw .malformed("a reply exceeds a limit")
            case IRC_NO_MEMORY: throw .malformed("there is no memory for a reply")
            default: throw .malformed("the bytes are no reply")
            }
        }

        /// Copies a reply. hiredis limits the depth of arrays to 7.
        private static func value(of reply: OpaquePointer) -> RedisReply {
            switch unsafe irc_reply_type(reply) {
            case IRC_STATUS: unsafe .status(String(decoding: bytes(of: reply), as: UTF8.self))
            case IRC_ERROR: unsafe .error(RedisServerError(text: String(decoding: bytes(of: reply), as: UTF8.self)))
            case IRC_INTEGER: unsafe .integer(irc_reply_integer(reply))
            case IRC_BULK: unsafe .bulk(Data(bytes(of: reply)))
            case IRC_ARRAY:
                .array(
                    (0..<(unsafe irc_reply_count(reply))).compactMap { index in
                        unsafe irc_reply_element(reply, index).map { unsafe value(of: $0) }
                    })
            default: .null
            }
        }

        private static func bytes(of reply: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
            var count = 0
            let start = unsafe irc_reply_bytes(reply, &count)
            return unsafe UnsafeBufferPointer(start: start, count: count)
        }
    }
#endif
