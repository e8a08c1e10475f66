#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An error in a request. The response has status 400.
struct BadRequest: Error, Hashable {
    var text: String
}

/// The path and the query of a request's target, decoded.
struct Target {
    let path: String
    private let query: [String: String]

    /// - Throws: `BadRequest` if the target is not that of a URL.
    init(_ target: String) throws(BadRequest) {
        guard target.hasPrefix("/"),
            let url = URLComponents(string: "http://host" + target, encodingInvalidCharacters: false)
        else {
            throw BadRequest(text: "the target is not a path with a query")
        }
        path = url.path
        query = Dictionary((url.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    /// The value of a query parameter.
    subscript(name: String) -> String? { query[name] }

    /// Returns the value of a query parameter, or nil if it is absent.
    ///
    /// - Throws: `BadRequest` if the value is not an integer in the range.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(BadRequest) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw BadRequest(text: "\(name) must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns whether a query parameter is 1 or empty.
    func flag(_ name: String) throws(BadRequest) -> Bool {
        switch self[name] {
        case nil, "0": return false
        case "1", "": return true
        default: throw BadRequest(text: "\(name) must be 0 or 1")
        }
    }
}
