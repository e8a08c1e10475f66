/// A request as received by the server.
public struct LoopbackRequest: Sendable, Hashable {
    /// The method as sent, such as `GET`.
    public var method: String
    /// The path and query as sent.
    public var target: String
    /// The header fields by lowercase name. Repeated fields are joined with commas.
    public var headers: [String: String]
    /// The request line and the fields as received, without the blank line.
    public var head: [UInt8]
    /// The body of the length given by Content-Length. Chunked requests aren't supported.
    public var body: [UInt8] = []
    /// The number of the connection, from 1 in order of acceptance.
    public var connection: Int

    /// The target without its query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// - Parameter head: The request line and the fields, without the blank line.
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
        self.head = head
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
