/// An HTTP date in the IMF-fixdate format (RFC 9110 section 5.6.7).
///
/// The two obsolete formats are not supported. A condition with an invalid date is false, as the RFC requires.
public struct HTTPDate: Hashable, Sendable, Comparable {
    /// The number of seconds since 1 January 1970, UTC.
    public var secondsSince1970: Int

    /// Creates a date.
    public init(secondsSince1970: Int) { self.secondsSince1970 = secondsSince1970 }

    public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.secondsSince1970 < right.secondsSince1970 }

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The formatted date, such as "Sun, 06 Nov 1994 08:49:37 GMT".
    public var text: String {
        let day = Self.floorDivide(secondsSince1970, 86_400)
        let second = secondsSince1970 - day * 86_400
        let (year, month, dayOfMonth) = Self.civil(fromDay: day)
        let weekday = Self.days[((day % 7) + 7) % 7]
        let clock = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, to: 2) }.joined(separator: ":")
        return
            "\(weekday), \(Self.padded(dayOfMonth, to: 2)) \(Self.months[month - 1]) \(Self.padded(year, to: 4)) \(clock) GMT"
    }

    /// Parses a date. Returns nil if the text is not an IMF-fixdate.
    public init?(text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = Self.months.firstIndex(of: String(parts[2])) else {
            return nil
        }
        let clock = parts[4].split(separator: ":").compactMap { Int($0) }
        guard let day = Int(parts[1]), (1...31).contains(day), let year = Int(parts[3]), (1...9999).contains(year),
            clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0..<61).contains(clock[2])
        else { return nil }
        let days = Self.day(year: year, month: month + 1, day: day)
        secondsSince1970 = days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    private static func padded(_ number: Int, to length: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, length - digits.count)) + digits
    }

    private static func floorDivide(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
    }

    /// Converts days since 1970 to a Gregorian date. Uses eras of 400 years that begin in March.
    private static func civil(fromDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func day(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
