import Foundation
import ImageTransporting
import Testing

@Suite("HTTP dates")
struct HTTPDateTests {
    private let noon = Date(timeIntervalSince1970: 1_700_049_600)
    static let example = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        "all three formats are parsed",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "sun, 06 nov 1994 08:49:37 gmt", "Sun Nov 06 08:49:37 1994",
        ])
    func forms(text: String) {
        #expect(HTTPDate.parse(text, now: noon) == Self.example)
    }

    @Test(
        "other text is not a date",
        arguments: [
            "", "0", "-1", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT",
            "Sun, 06  Nov  1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sunday, 06-Nov-94 08:49:37 EST", "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov +994 08:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Foo 1994 08:49:37 GMT", "١٩٩٤",
        ])
    func others(text: String) {
        #expect(HTTPDate.parse(text, now: noon) == nil)
    }

    @Test("a leap second is parsed as the first second of the next minute")
    func leapSecond() {
        #expect(HTTPDate.parse("Sun, 06 Nov 1994 08:49:60 GMT", now: noon) == Self.example + 23)
    }

    @Test("a two-digit year is at most fifty years in the future")
    func century() {
        // Noon is in 2023.
        for (short, year) in [("73", 2073), ("74", 1974), ("23", 2023), ("00", 2000)] {
            let date = HTTPDate.parse("Sunday, 06-Nov-\(short) 00:00:00 GMT", now: noon)
            #expect(date.map { Calendar(identifier: .gregorian).component(.year, from: $0) } == year)
        }
    }

    @Test("leap days and distant years agree with the Gregorian calendar")
    func calendar() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for year in [1583, 1600, 1900, 1969, 1970, 2000, 2004, 2100, 2400, 9999] {
            for month in 1...12 {
                let parts = DateComponents(year: year, month: month, day: 28, hour: 23, minute: 59, second: 58)
                let expected = calendar.date(from: parts)
                let text = expected.map(HTTPDate.format) ?? ""
                #expect(HTTPDate.parse(text, now: noon) == expected, "\(year)-\(month)")
                #expect(text.hasSuffix("23:59:58 GMT"))
            }
        }
    }

    @Test("a date is formatted in the preferred format, with its weekday")
    func format() {
        #expect(HTTPDate.format(Self.example) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: 951_782_400.9)) == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate.format(Date(timeIntervalSince1970: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
    }
}
