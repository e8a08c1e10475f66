import Foundation
import HTTPTypes
import ImageTransporting

@testable import ImageHTTPCaching

/// The time at which every test starts.
let noon = Date(timeIntervalSince1970: 1_700_049_600)

/// Creates a response stored at noon, from header lines like `Cache-Control: max-age=60`.
func stored(
    _ lines: String..., status: Int = 200, to request: HTTPFields = [:], url: String = "https://images.test/1.jpg",
    delay: TimeInterval = 0
) -> StoredHTTPResponse {
    StoredHTTPResponse(
        head(lines, status: status, url: url), to: request, requestTime: noon - delay, responseTime: noon)
}

func head(_ lines: [String], status: Int = 200, url: String = "https://images.test/1.jpg") -> ResponseHead {
    ResponseHead(status: .init(code: status), headers: fields(lines), url: URL(string: url) ?? URL(filePath: "/"))
}

func fields(_ lines: [String]) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = HTTPField.Name(String(parts[0])) else { preconditionFailure("not a header line: \(line)") }
        fields.append(HTTPField(name: name, value: parts[1].trimmingCharacters(in: .whitespaces)))
    }
    return fields
}

func request(_ lines: String..., method: HTTPRequest.Method = .get) -> HTTPCacheRequest {
    HTTPCacheRequest(method: method, headers: fields(lines))
}

/// Returns an HTTP date, in seconds after noon.
func date(_ offset: TimeInterval) -> String { HTTPDate.format(noon + offset) }
