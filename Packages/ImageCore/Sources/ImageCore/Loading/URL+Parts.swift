/// The parts of a URL's authority (RFC 3986, 3.2).
struct URLAuthority {
    /// Without the `@`.
    let user: ArraySlice<UInt8>
    let host: ArraySlice<UInt8>
    /// With its colon, if there is one.
    let port: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) {
        let hostStart = text.lastIndex(of: .at).map { $0 + 1 } ?? text.startIndex
        // The colons of an IPv6 address are inside brackets.
        let mark = text[hostStart...].lastIndex { $0 == .colon || $0 == .closingBracket }
        let hostEnd = mark.flatMap { text[$0] == .colon ? $0 : nil } ?? text.endIndex
        user = text[..<hostStart].dropLast()
        host = text[hostStart..<hostEnd]
        port = text[hostEnd...]
    }
}

extension ArraySlice<UInt8> {
    /// An absolute path without `.` and `..` (RFC 3986, 5.2.4), also percent-encoded ones, and with `/` for `\`.
    var withoutDotSegments: [UInt8] {
        let start = first?.isSlash == true ? 1 : 0
        let segments = dropFirst(start).split(omittingEmptySubsequences: false, whereSeparator: \.isSlash)
        var kept: [ArraySlice<UInt8>] = []
        for (index, segment) in segments.enumerated() {
            let dots = segment.dotCount
            if dots == 2 { _ = kept.popLast() }
            if dots == nil { kept.append(segment) } else if index == segments.count - 1 { kept.append([]) }
        }
        return Array(([[]] + kept).joined(separator: [.slash]))
    }

    /// The number of dots if this is a dot segment of a path: `.` or `..`, where a dot may be `%2e`.
    private var dotCount: Int? {
        let dots = percentDecoded
        guard dots == [.dot] || dots == [.dot, .dot] else { return nil }
        return dots.count
    }

    /// The bytes without percent-encoding. A `%` without two hexadecimal digits is kept.
    package var percentDecoded: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count)
        var index = startIndex
        while index < endIndex {
            let byte = encodedByte(at: index)
            text.append(byte ?? self[index])
            index += byte == nil ? 1 : 3
        }
        return text
    }

    /// Returns the byte whose percent-encoding begins at an index, or nil.
    func encodedByte(at index: Int) -> UInt8? {
        guard self[index] == .percent, index + 2 < endIndex, let high = self[index + 1].hexadecimalValue,
            let low = self[index + 2].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }
}

extension UInt8 {
    var isSlash: Bool { self == .slash || self == UInt8(ascii: "\\") }
}
