public import ImageCore

/// Parses and formats HTTP dates (RFC 9110, 5.6.7).
public enum HTTPDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let longWeekdays = [
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]

    /// Parses a date in the preferred or an obsolete format, in any case. Returns nil for other text.
    ///
    /// - Parameters:
    ///   - text: The value of the header field.
    ///   - now: The current date. A two-digit year is at most 50 years later.
    public static func parse(_ text: String, now: Date) -> Date? {
        let words = text.lowercased().split(separator: " ", omittingEmptySubsequences: false)
        switch words.count {
        case 6 where words[2].isEmpty: return asctime(words[0], words[1], day: words[3], words[4], words[5])
        case 6: return preferred(words)
        case 5 where words[2].count == 2: return asctime(words[0], words[1], day: words[2], words[3], words[4])
        case 4: return rfc850(words, now: now)
        default: return nil
        }
    }

    /// Returns a date in the preferred format, rounded down to seconds, and clamped to the years 1 to 9999.
    public static func format(_ date: Date) -> String {
        let seconds = seconds(date)
        let days = Int(seconds.quotient(by: 86_400))
        let (year, month, day) = civil(days)
        let second = Int(seconds - Int64(days) * 86_400)
        let weekday = (days + 4) - (days + 4).quotient(by: 7) * 7
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(weekdays[weekday].capitalized), \(padded(day, 2)) \(months[month - 1].capitalized) "
            + "\(padded(year, 4)) \(time) GMT"
    }

    /// Returns the seconds since 1970, rounded down, and clamped to the years 1 to 9999.
    private static func seconds(_ date: Date) -> Int64 {
        Int64(min(max(-62_135_596_800, date.timeIntervalSince1970.rounded(.down)), 253_402_300_799))
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func preferred(_ words: [Substring]) -> Date? {
        guard weekdays.contains(where: { "\($0)," == words[0] }), words[1].count == 2, words[3].count == 4,
            words[5] == "gmt"
        else { return nil }
        return date(number(words[3]), month(words[2]), number(words[1]), words[4])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func rfc850(_ words: [Substring], now: Date) -> Date? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard longWeekdays.contains(where: { "\($0)," == words[0] }), parts.count == 3, parts[0].count == 2,
            parts[2].count == 2, words[3] == "gmt", let short = number(parts[2])
        else { return nil }
        let present = civil(Int(seconds(now).quotient(by: 86_400))).year
        var year = present - present % 100 + short
        if year > present + 50 { year -= 100 }
        return date(year, month(parts[1]), number(parts[0]), words[2])
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(
        _ weekday: Substring, _ name: Substring, day: Substring, _ time: Substring, _ year: Substring
    ) -> Date? {
        guard weekdays.contains(String(weekday)), (1...2).contains(day.count), year.count == 4 else { return nil }
        return date(number(year), month(name), number(day), time)
    }

    private static func month(_ name: Substring) -> Int? { months.firstIndex(of: String(name)).map { $0 + 1 } }

    /// Parses digits without a sign.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
    }

    private static func date(_ year: Int?, _ month: Int?, _ day: Int?, _ time: Substring) -> Date? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let year, let month, let day, parts.count == 3, parts.allSatisfy({ $0.count == 2 }),
            let hour = number(parts[0]), let minute = number(parts[1]), let second = number(parts[2]),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = days(year, month, day)
        guard day >= 1, civil(days).month == month else { return nil }
        return Date(timeIntervalSince1970: Double(days) * 86_400 + Double(hour * 3600 + minute * 60 + second))
    }

    /// Returns the number of days since 1970-01-01. Years start in March, so the leap day is last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year.quotient(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the date of a day. The inverse of `days`.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted.quotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension SignedInteger {
    /// Divides and rounds down, also for negative numbers.
    fileprivate func quotient(by divisor: Self) -> Self {
        self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
    }
}
