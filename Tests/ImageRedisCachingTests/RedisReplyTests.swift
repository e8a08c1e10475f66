#if RedisCaching
    import CImageRedisCaching
    import Foundation
    import ImageCore
    import ImageTesting
    import LeakChecking
    import NIOCore
    import Testing

    @testable import ImageRedisCaching

    @Suite("Parsing replies")
    struct RedisReplyParserTests {
        private static let limits = RedisReplyParser.Limits(bulkBytes: 100, lineBytes: 50, elements: 10)

        /// The values of the replies in `types`.
        private static let values: [RedisReply] = [
            .status("OK"), .error(RedisServerError(text: "OOM no")), .integer(-7), .bulk(Data("a\r\n".utf8)), .null,
            .bulk(Data()), .array([.integer(1), .array([.bulk(Data("x".utf8))])]), .null, .array([]),
        ]

        @Test("every type is parsed, however the bytes are divided", arguments: 1...20)
        func types(pieceLength: Int) throws {
            let simple = "+OK\r\n-OOM no\r\n:-7\r\n$3\r\na\r\n\r\n$-1\r\n$0\r\n\r\n"
            let arrays = "*2\r\n:1\r\n*1\r\n$1\r\nx\r\n*-1\r\n*0\r\n"
            let bytes = Array((simple + arrays).utf8)
            let parser = try #require(RedisReplyParser(limits: Self.limits))
            var replies: [RedisReply] = []
            for start in stride(from: 0, to: bytes.count, by: pieceLength) {
                replies += try parse(bytes[start..<min(start + pieceLength, bytes.count)], with: parser)
            }
            #expect(replies == Self.values)
        }

        #if canImport(Glibc)
            @Test("the memory of replies, of malformed ones and of parsers is freed")
            func leaks() async {
                await #expect(processExitsWith: .success) {
                    let bulk = "$50\r\n\(String(repeating: "x", count: 50))\r\n"
                    let texts = ["*2\r\n+a\r\n\(bulk)", "*2\r\n:1\r\n", "x"]
                    try checkForLeaks {
                        for text in texts {
                            for _ in 0..<200 {
                                let parser = try #require(RedisReplyParser(limits: Self.limits))
                                _ = try? Self().parse(ArraySlice(text.utf8), with: parser)
                            }
                        }
                    }
                }
            }
        #endif

        @Test(
            "a reply that is none or exceeds a limit is malformed",
            arguments: [
                "garbage\r\n", "HTTP/1.1 400 Bad Request\r\n", "\0\0\0\0\r\n", "$x\r\n", "$-2\r\n", ":x1\r\n", "*x\r\n",
                "$101\r\n", "$99999999999999999999999999\r\n", "$9223372036854775807\r\n", "*11\r\n",
                "*2147483647\r\n", "*9999999999999999999\r\n", "*2\r\n*5\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n*5\r\n",
                String(repeating: "*1\r\n", count: 20), "+" + String(repeating: "a", count: 60),
                "+" + String(repeating: "a", count: 60) + "\r\n", ":" + String(repeating: "1", count: 60),
                "$" + String(repeating: "1", count: 60), "$101\r\n" + String(repeating: "a", count: 101) + "\r\n",
                "*1\r\n$101\r\n" + String(repeating: "a", count: 101) + "\r\n",
            ])
        func malformed(text: String) throws {
            let parser = try #require(RedisReplyParser(limits: Self.limits))
            let error = #expect(throws: RedisFailure.self) { try parse(Array(text.utf8)[...], with: parser) }
            guard case .malformed? = error else {
                Issue.record("the error is \(String(describing: error))")
                return
            }
        }

        @Test("values at the limits are accepted")
        func atLimits() throws {
            let parser = try #require(RedisReplyParser(limits: Self.limits))
            let bulk = String(repeating: "a", count: 100)
            let text = bulk.bulk + "*10\r\n" + String(repeating: ":1\r\n", count: 10)
            // The elements of each reply are counted anew.
            let replies = try parse(Array((text + text).utf8)[...], with: parser)
            #expect(replies.count == 4)
            #expect(replies[2] == .bulk(Data(bulk.utf8)))
        }

        @Test("random bytes are replies within the limits, or malformed", arguments: 1...50)
        func random(seed: UInt64) throws {
            let words = [
                "$", "*", ":", "+", "-", "\r\n", "0", "1", "3", "99", "-1", "a", "$3\r\nabc\r\n", "*2\r\n", "\0",
            ]
            var random = SeededRandom(seed: seed)
            for _ in 1...200 {
                let parser = try #require(RedisReplyParser(limits: Self.limits))
                var isValid = true
                for _ in 1...20 where isValid {
                    let text = (1...5).map { _ in words.randomElement(using: &random) ?? "" }.joined()
                    do {
                        let replies = try parse(Array(text.utf8)[...], with: parser)
                        #expect(replies.allSatisfy { elementCount(of: $0) <= Self.limits.elements })
                    } catch RedisFailure.malformed {
                        isValid = false
                    }
                }
            }
        }

        private func elementCount(of reply: RedisReply) -> Int {
            guard case .array(let elements) = reply else { return 0 }
            return elements.reduce(elements.count) { $0 + elementCount(of: $1) }
        }

        private func parse(_ bytes: ArraySlice<UInt8>, with parser: RedisReplyParser) throws -> [RedisReply] {
            unsafe try bytes.withUnsafeBytes { unsafe try parser.replies(with: $0) }
        }
    }

    @Suite("Formatting commands")
    struct RedisCommandTests {
        @Test("arguments are sent with their lengths, whatever their bytes")
        func formats() {
            var command = RedisCommand("SET", "ü", "")
            command.append([0, 13, 10])
            let expected = "*4\r\n$3\r\nSET\r\n$2\r\nü\r\n$0\r\n\r\n$3\r\n\0\r\n\r\n"
            #expect(Array(command.formatted.readableBytesView) == Array(expected.utf8))
        }
    }

    @Suite("The format of entries")
    struct RedisEntryFormatTests {
        private let key = DataCacheKey(identifier: "https://images.test/ü")
        private let entry = DataCacheEntry(
            data: Data("payload".utf8), metadata: Data("metadata".utf8),
            creationDate: Date(timeIntervalSinceReferenceDate: 1.5))

        private func value() -> Data { Data(RedisEntryFormat.bytes(of: entry, for: key)) }

        @Test("an entry is read as it was written, also from a slice")
        func roundTrip() {
            #expect(value().count == RedisEntryFormat.size(of: entry, for: key))
            #expect(RedisEntryFormat.read(value(), for: key) == .entry(entry))
            #expect(RedisEntryFormat.read((Data([0]) + value()).dropFirst(), for: key) == .entry(entry))
        }

        @Test("a value with any byte altered is damaged")
        func altered() {
            for index in value().indices {
                var damaged = value()
                damaged[index] ^= 0x10
                #expect(RedisEntryFormat.read(damaged, for: key) == .damaged, "byte \(index)")
            }
        }

        @Test("a value that is cut anywhere, or longer, is damaged")
        func cut() {
            for count in 0..<value().count {
                #expect(RedisEntryFormat.read(value().prefix(count), for: key) == .damaged, "\(count) bytes")
            }
            #expect(RedisEntryFormat.read(value() + [0], for: key) == .damaged)
        }

        @Test("lengths that exceed the value are damage, even with a valid checksum")
        func lengths() {
            for offset in [16, 20, 24] {
                var bytes = Array(value().dropLast(8))
                for index in offset..<offset + 4 { bytes[index] = 0xFF }
                #expect(RedisEntryFormat.read(Data(bytes + checksum(of: bytes)), for: key) == .damaged)
            }
            // The helper computes the checksum of the format.
            let intact = Array(value().dropLast(8))
            #expect(intact + checksum(of: intact) == Array(value()))
        }

        @Test("a payload of any length is damage", arguments: [Int64.max, .max - 100, .min, -1])
        func payloadLengths(length: Int64) {
            var bytes = Array(value().dropLast(8))
            bytes.replaceSubrange(24..<32, with: (0..<8).map { UInt8(truncatingIfNeeded: length >> Int64($0 * 8)) })
            #expect(RedisEntryFormat.read(Data(bytes + checksum(of: bytes)), for: key) == .damaged)
        }

        @Test("a value of another version is damaged, even with a valid checksum")
        func otherVersion() {
            var bytes = Array(value().dropLast(8))
            bytes[4] += 1
            #expect(RedisEntryFormat.read(Data(bytes + checksum(of: bytes)), for: key) == .damaged)
        }

        private func checksum(of bytes: [UInt8]) -> [UInt8] {
            let sum = unsafe bytes.withUnsafeBufferPointer { unsafe irc_checksum($0.baseAddress, $0.count) }
            return (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 * 8)) }
        }

        @Test("the entry of another key with the same hash is not returned")
        func otherKey() {
            #expect(RedisEntryFormat.read(value(), for: DataCacheKey(identifier: "other")) == .otherKey)
        }
    }
#endif
