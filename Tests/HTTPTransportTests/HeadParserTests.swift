#if os(Linux)
    import Foundation
    import HTTPTypes
    import ImageTransporting
    import Testing

    @testable import ImageTransportCurl

    /// Lines that libcurl's own checks let no server send, too.
    @Suite("Header lines from libcurl")
    struct HeadParserTests {
        /// Returns the heads that lines complete.
        private func heads(_ lines: [String]) throws -> [ResponseHead] {
            var parser = HeadParser(TransportRequest(url: URL(filePath: "/")))
            return try lines.compactMap { line in
                unsafe try Array("\(line)\r\n".utf8).withUnsafeBufferPointer { unsafe try parser.take($0) }
            }
        }

        @Test(
            "a status line without a status from 100 to 999 is malformed, and so is a head without one",
            arguments: [
                ["HTTP/1.1"], ["HTTP/1.1 20 OK"], ["HTTP/1.1 2000 OK"], ["HTTP/1.1 099 OK"], ["HTTP/1.1 abc OK"], [""],
                ["HTTP/1.1 100 Continue", "", "A: 1", ""],
            ])
        func malformed(lines: [String]) {
            #expect(throws: TransportError.self) { try heads(lines) }
        }

        @Test("lines before the last status line, lines without a name and trailers are not in the head")
        func fields() throws {
            let lines = [
                "HTTP/1.1 103 Early Hints", "Content-Length: 9", "", "HTTP/1.1 202 Accepted", "A: 1",
                "HTTP/1.1 200 OK", "nothing", "B: \t2 ", "", "C: 3", "",
            ]
            let found = try heads(lines)
            #expect(found.map(\.status.code) == [200])
            #expect(found.first?.headers.map { "\($0.name)=\($0.value)" } == ["B=2"])
            #expect(found.first?.expectedByteCount == nil, "the length was that of another head")
        }

        @Test("of two lengths, none is expected")
        func lengths() throws {
            let found = try heads(["HTTP/1.1 200 OK", "Content-Length: 1", "Content-Length: 2", ""])
            #expect(found.map(\.expectedByteCount) == [nil])
        }
    }
#endif
