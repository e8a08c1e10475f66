import HTTPTypes
public import ImageHTTPCaching
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contract of `HTTPCachePolicy`, for every interpretation of response headers.
public enum HTTPCachePolicyContract {
    /// A policy under test.
    public typealias Subject = any HTTPCachePolicy

    /// All rules.
    public static let rules: [ContractRule<Subject>] = [
        ContractRule("the policy returns the same decision for the same input") { policy in
            for response in responses {
                for seconds in ages {
                    let decisions = (0..<3).map { _ in
                        (policy.mayStore(response, to: plain), policy.reuse(response, for: plain, at: noon + seconds))
                    }
                    try expect(
                        decisions.allSatisfy { $0 == decisions[0] }, "different decisions about \(response.headers)")
                }
            }
        },
        ContractRule("the policy stores only complete responses to unconditional GET requests") { policy in
            for response in responses {
                for request in partial + [HTTPCacheRequest(method: .post), HTTPCacheRequest(method: .head)] {
                    try expect(!policy.mayStore(response, to: request), "stored for \(request)")
                }
            }
            for status in [206, 304] {
                try expect(!policy.mayStore(stored([:], status), to: plain), "a \(status) is stored")
            }
        },
        ContractRule("the policy revalidates a response if the request says no-cache") { policy in
            let request = HTTPCacheRequest(headers: [.cacheControl: "no-cache"])
            for response in responses {
                let reuse = policy.reuse(response, for: request, at: noon)
                guard case .validate = reuse else {
                    throw ContractViolation("\(reuse) despite no-cache: \(response.headers)")
                }
            }
        },
        ContractRule("a response that was stale is never fresh again") { policy in
            for response in responses {
                let fresh = ages.map { policy.reuse(response, for: plain, at: noon + $0) == .fresh }
                try expect(fresh == fresh.sorted { $0 && !$1 }, "fresh again: \(response.headers)")
            }
        },
        ContractRule("a response that arrived after now is not fresh") { policy in
            for response in responses {
                for seconds in [1, 59, 86_400, 300_000_000] as [TimeInterval] {
                    let reuse = policy.reuse(response, for: plain, at: noon - seconds)
                    try expect(reuse != .fresh, "fresh \(seconds) s before its arrival: \(response.headers)")
                }
            }
        },
    ]

    private static let noon = Date(timeIntervalSince1970: 1_700_049_600)
    private static let plain = HTTPCacheRequest()
    /// Times after the response was received, in seconds.
    private static let ages: [TimeInterval] = [0, 1, 30, 59, 61, 600, 3_601, 86_401, 10_000_000]

    private static let partial: [HTTPCacheRequest] = [
        [.range: "bytes=0-1"], [.ifNoneMatch: "\"1\""], [.ifModifiedSince: "Wed, 15 Nov 2023 12:00:00 GMT"],
        [.ifMatch: "*"],
    ].map { HTTPCacheRequest(headers: $0) }

    private static let responses: [StoredHTTPResponse] = [
        stored([:]), stored([.cacheControl: "max-age=60"]), stored([.cacheControl: "max-age=3600, immutable"]),
        stored([.cacheControl: "max-age=10, stale-while-revalidate=600"]), stored([.cacheControl: "no-cache"]),
        stored([.eTag: "\"1\"", .age: "30"]), stored([.lastModified: "Mon, 13 Nov 2023 12:00:00 GMT"]),
        stored([.expires: "Wed, 15 Nov 2023 12:10:00 GMT"]), stored([.expires: "0"]), stored([:], 404),
        stored([:], 301),
    ]

    private static func stored(_ headers: HTTPFields, _ status: Int = 200) -> StoredHTTPResponse {
        let head = ResponseHead(status: .init(code: status), headers: headers, url: URL(filePath: "/a"))
        return StoredHTTPResponse(head, to: [:], requestTime: noon, responseTime: noon)
    }
}
