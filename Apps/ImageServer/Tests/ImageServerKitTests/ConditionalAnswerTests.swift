import HTTPTypes
import Testing

@testable import ImageServerKit

@Suite struct ConditionalAnswerTests {
    private func answer(_ fields: HTTPFields, _ method: HTTPRequest.Method = .get) -> ConditionalAnswer {
        ConditionalAnswer(request: fields, method: method, tag: "\"a\"", byteCount: 100)
    }

    @Test(
        "answers ranges of RFC 9110, section 14",
        arguments: [
            ("bytes=0-9", .partial(0..<10)), ("bytes=90-", .partial(90..<100)), ("bytes=-10", .partial(90..<100)),
            ("bytes=50-500", .partial(50..<100)), ("bytes=-500", .partial(0..<100)), ("Bytes=0-0", .partial(0..<1)),
            ("bytes=100-", .unsatisfiable), ("bytes=200-300", .unsatisfiable), ("bytes=9-5", .full),
            ("bytes=0-1,5-6", .full),
            ("pages=0-1", .full), ("bytes=a-b", .full), ("bytes=", .full), ("bytes=-", .full),
        ] as [(String, ConditionalAnswer)])
    func ranges(field: String, expected: ConditionalAnswer) { #expect(answer([.range: field]) == expected) }

    @Test("ignores ranges of HEAD and of outdated results")
    func ignoredRanges() {
        #expect(answer([.range: "bytes=0-9"], .head) == .full)
        #expect(answer([.range: "bytes=0-9", .ifRange: "\"b\""]) == .full)
        #expect(answer([.range: "bytes=0-9", .ifRange: "\"a\""]) == .partial(0..<10))
        #expect(answer([.range: "bytes=200-", .ifRange: "\"b\""]) == .full)
    }

    @Test("answers conditions of RFC 9110, section 13")
    func conditions() {
        #expect(answer([:]) == .full)
        #expect(answer([.ifNoneMatch: "\"a\""]) == .notModified)
        #expect(answer([.ifNoneMatch: "W/\"a\", \"b\""], .head) == .notModified)
        #expect(answer([.ifNoneMatch: "*"]) == .notModified)
        #expect(answer([.ifNoneMatch: "\"b\""]) == .full)
        #expect(answer([.ifMatch: "\"b\""]) == .preconditionFailed)
        #expect(answer([.ifMatch: "\"b\", \"a\""]) == .full)
        #expect(answer([.ifMatch: "\"a\"", .ifNoneMatch: "\"a\""]) == .notModified)
        #expect(answer([.ifNoneMatch: "\"a\"", .range: "bytes=0-9"]) == .notModified)
    }
}
