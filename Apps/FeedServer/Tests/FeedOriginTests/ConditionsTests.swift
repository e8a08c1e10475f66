import Testing

@testable import FeedOrigin

@Suite("Conditions and ranges")
struct ConditionsTests {
    private let representation = Representation(
        entityTag: "\"abc\"", lastModified: HTTPDate(secondsSince1970: 1_704_067_200), length: 100)
    private static let date = HTTPDate(secondsSince1970: 1_704_067_200).text
    private static let earlier = HTTPDate(secondsSince1970: 1_704_067_199).text

    private func selection(_ headers: [String: String], method: String = "GET") throws -> Selection {
        let fields = headers.map { HTTPRequest.Field($0.key, $0.value) }
        return representation.selection(for: try HTTPRequest(method: method, target: "/", headers: fields))
    }

    @Test(
        "a matching validator returns 304",
        arguments: [
            ("if-none-match", "\"abc\"", true), ("if-none-match", "\"x\", W/\"abc\"", true),
            ("if-none-match", "*", true),
            ("if-none-match", "\"x\"", false), ("if-none-match", "abc", false), ("if-modified-since", date, true),
            ("if-modified-since", earlier, false), ("if-modified-since", "some day", false),
        ])
    func notModified(name: String, value: String, expected: Bool) throws {
        #expect(try selection([name: value]) == (expected ? .notModified : .whole))
    }

    @Test("If-None-Match takes precedence over If-Modified-Since")
    func precedence() throws {
        #expect(try selection(["if-none-match": "\"x\"", "if-modified-since": Self.date]) == .whole)
    }

    @Test(
        "a single range of bytes returns that part",
        arguments: [
            ("bytes=0-9", Selection.part(0..<10)), ("bytes=90-", .part(90..<100)), ("bytes=-5", .part(95..<100)),
            ("bytes=50-5000", .part(50..<100)), ("bytes=-500", .part(0..<100)), ("bytes=99-99", .part(99..<100)),
            ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=5-2", .whole),
            ("bytes=0-1,4-5", .whole),
            ("lines=0-1", .whole), ("bytes=-", .whole), ("bytes=a-b", .whole),
            ("bytes=0-99999999999999999999", .part(0..<100)),
        ])
    func ranges(header: String, expected: Selection) throws {
        #expect(try selection(["range": header]) == expected)
        #expect(try selection(["range": header], method: "HEAD") == .whole)
    }

    @Test(
        "If-Range requires the same strong tag or exactly the same date",
        arguments: [
            ("\"abc\"", true), ("W/\"abc\"", false), ("\"x\"", false), (date, true), (earlier, false),
        ])
    func ifRange(validator: String, isPart: Bool) throws {
        let selection = try selection(["range": "bytes=1-2", "if-range": validator])
        #expect(selection == (isPart ? .part(1..<3) : .whole))
    }
}
