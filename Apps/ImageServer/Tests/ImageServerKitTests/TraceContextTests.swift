import HTTPTypes
import Testing

@testable import ImageServerKit

@Suite struct TraceContextTests {
    private let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("reads the example of W3C Trace Context and passes it on")
    func reading() throws {
        let trace = try #require(TraceContext([.traceparent: valid, .tracestate: "a=b"]))
        #expect(trace.parentField == valid)
        #expect(trace.state == "a=b")
        let child = trace.child()
        #expect(child.traceID == trace.traceID && child.spanID != trace.spanID)
        #expect(child.isSampled && child.state == "a=b")
    }

    @Test(
        "refuses fields that are not valid",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        ])
    func malformed(field: String) { #expect(TraceContext([.traceparent: field]) == nil) }

    @Test("a state of more than 512 bytes is not passed on", arguments: [(512, 512), (513, 0)])
    func longState(count: Int, expected: Int) {
        let state = String(repeating: "a", count: count)
        #expect(TraceContext([.traceparent: valid, .tracestate: state])?.state.count == expected)
    }

    @Test("makes new traces that are valid and differ")
    func new() throws {
        let (first, second) = (TraceContext(), TraceContext())
        #expect(first.traceID != second.traceID)
        #expect(TraceContext([.traceparent: first.parentField]) == first)
    }
}
