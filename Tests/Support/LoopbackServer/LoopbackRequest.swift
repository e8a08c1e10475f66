/// A request as it arrived.
public struct LoopbackRequest: Sendable, Hashable {
    /// In upper case as sent: GET.
    public var method: String
    /// Path and query as sent.
    public var target: String
    /// By name in lower case; repeated fields are joined by a comma.
    public var headers: [String: String]
    /// As announced by Content-Length; chunked requests are not understood.
    public var body: [UInt8] = []
    /// Which connection it came on, from 1 in order of acceptance.
    public var connection: Int

    /// The target without its query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// - Parameter head: the request line and the fields, without the blank line.
    init?(head: [UInt8], connection: Int) {
        // A carriage return and a line feed are one Character: split on the line feed's scalar.
        let lines = head.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3 else { return nil }
        method = String(words[0])
        target = String(words[1])
        headers = [:]
        self.connection = connection
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].lowercased()
            let value = String(line[line.index(after: colon)...].drop { $0 == " " })
            headers[name] = headers[name].map { $0 + ", " + value } ?? value
        }
    }

    var announcedBodyBytes: Int { headers["content-length"].flatMap { Int($0) } ?? 0 }
}
