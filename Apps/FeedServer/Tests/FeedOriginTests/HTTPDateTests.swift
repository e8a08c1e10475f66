import Testing

@testable import FeedOrigin

@Suite("HTTP dates")
struct HTTPDateTests {
    @Test(
        "dates are formatted and parsed as in the RFC",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ])
    func roundTrip(seconds: Int, text: String) {
        #expect(HTTPDate(secondsSince1970: seconds).text == text)
        #expect(HTTPDate(text: text)?.secondsSince1970 == seconds)
    }

    @Test(
        "text that is not a date is nil",
        arguments: [
            "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:00:00 GMT",
        ])
    func refused(text: String) {
        #expect(HTTPDate(text: text) == nil)
    }
}
