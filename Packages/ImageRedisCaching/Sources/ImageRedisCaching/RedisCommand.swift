#if RedisCaching
    import NIOCore

    /// A command: its name and its arguments.
    struct RedisCommand: Sendable {
        private var arguments: [[UInt8]] = []

        init(_ words: String...) { for word in words { append(word) } }

        mutating func append(_ word: String) { append(Array(word.utf8)) }

        mutating func append(_ bytes: [UInt8]) { arguments.append(bytes) }

        /// The command in the format of the protocol (RESP2).
        var formatted: ByteBuffer {
            var buffer = ByteBuffer(string: "*\(arguments.count)\r\n")
            for argument in arguments {
                buffer.writeString("$\(argument.count)\r\n")
                buffer.writeBytes(argument)
                buffer.writeString("\r\n")
            }
            return buffer
        }
    }
#endif
