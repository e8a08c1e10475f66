#if RedisCaching
    import CImageRedisCaching
    import NIOCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A command: its name and its arguments.
    struct RedisCommand: Hashable, Sendable {
        private var bytes: [UInt8] = []
        private var lengths: [Int] = []

        init(_ words: String...) { for word in words { append(word) } }

        /// The arguments, for messages and tests.
        var arguments: [String] {
            var start = 0
            return lengths.map { length in
                defer { start += length }
                return String(decoding: bytes[start..<start + length], as: UTF8.self)
            }
        }

        mutating func append(_ word: String) { append { $0.append(contentsOf: word.utf8) } }

        mutating func append(_ number: Int) { append(String(number)) }

        /// Appends the argument that `body` writes at the end of the bytes.
        mutating func append(_ body: (inout [UInt8]) -> Void) {
            let start = bytes.count
            body(&bytes)
            lengths.append(bytes.count - start)
        }

        /// Returns the command in the format of the protocol, or nil if there is no memory.
        func formatted() -> ByteBuffer? {
            var command: UnsafeMutablePointer<CChar>?
            // hiredis reads both arrays within the call. It takes a pointer without bytes for empty arguments.
            let count = unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe lengths.withUnsafeBufferPointer { lengths in
                    unsafe lengths.withMemoryRebound(to: UInt.self) { lengths in
                        unsafe irc_command_format(bytes.baseAddress, lengths.baseAddress, lengths.count, &command)
                    }
                }
            }
            guard count >= 0, let command = unsafe command else { return nil }
            defer { unsafe irc_command_free(command) }
            return unsafe ByteBuffer(bytes: UnsafeRawBufferPointer(start: command, count: count))
        }
    }
#endif
