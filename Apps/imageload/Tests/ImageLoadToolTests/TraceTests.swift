import Foundation
import ImageCore
import ImageLoaderKit
import LoopbackServer
import Synchronization
import Testing

@testable import ImageLoadTool

@Suite("Traces of fetch", .timeLimit(.minutes(5)))
struct TraceTests {
    private struct Trace: Decodable { var traceEvents: [TraceRecorder.Event] }

    private func trace(_ arguments: [String], _ tool: BuiltTool, status: Int32 = 0) async throws -> Trace {
        let file = tool.folder.appending(path: "trace.json")
        let cache = tool.folder.appending(path: "cache").path
        let result = try await tool.run(["fetch", "--cache", cache, "--trace", file.path] + arguments)
        #expect(result.status == status)
        return try JSONDecoder().decode(Trace.self, from: try Data(contentsOf: file))
    }

    @Test("each request is a thread with complete events, in which its stages follow each other")
    func fetch() async throws {
        let tool = try BuiltTool()
        let image = try Data(contentsOf: try tool.write(.gradient, to: "a.png"))
        let server = try LoopbackServer { _ in .ok(image) }
        let addresses = ["/a.png", "/b.png?token=1", "/c.png"].map { server.url($0).absoluteString }
        let trace = try await trace(addresses + ["--size", "10"], tool)
        let requests = trace.traceEvents.filter { $0.name == "request" }
        #expect(requests.count == 3 && requests.allSatisfy { $0.args["end"] == "network" })
        for request in requests {
            let events = trace.traceEvents.filter { $0.tid == request.tid && $0.ph == "X" && $0.name != "request" }
            #expect(events.map(\.name) == ["lookup", "queue", "download", "queue", "decode"])
            var time = request.ts
            for event in events {
                #expect(event.ts >= time - 0.01)
                time = event.end
            }
            #expect(time <= request.end + 0.01)
        }
        let names = trace.traceEvents.filter { $0.ph == "M" }.compactMap { $0.args["name"] }
        let expected = ["/a.png", "/b.png", "/c.png"].map { server.url($0).absoluteString }
        #expect(names.sorted() == expected.sorted())
    }

    @Test("times are in microseconds")
    func microseconds() throws {
        let time = Mutex(Duration.milliseconds(2))
        let recorder = TraceRecorder { time.withLock { $0 } }
        recorder.handle(ImageLoadEvent(requestID: 1, url: nil, kind: .started))
        var end = ImageLoadEvent(requestID: 1, url: nil, kind: .succeeded(.network))
        end.elapsed = .milliseconds(5)
        recorder.handle(end)
        let events = try JSONDecoder().decode(Trace.self, from: recorder.json()).traceEvents
        let request = try #require(events.first { $0.name == "request" })
        #expect(request.ts == 2_000 && request.dur == 5_000)
    }

    @Test("a trace replaces that of the last run, keeps its permissions, and has requests that failed")
    func failed() async throws {
        let tool = try BuiltTool()
        let server = try LoopbackServer { _ in .response(status: 503) }
        for run in 1...2 {
            let trace = try await trace([server.url("/a.png").absoluteString, "--retries", "1"], tool, status: 69)
            let events = trace.traceEvents.filter { $0.ph == "X" }
            #expect(events.map(\.name) == ["request", "lookup", "queue", "download", "queue", "download"])
            #expect(events.map { $0.args["end"] } == ["failed", nil, nil, "incomplete", nil, "incomplete"])
            let file = tool.folder.appending(path: "trace.json").path
            if run == 1 { try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file) }
            let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
            #expect(permissions as? Int == 0o600)
        }
    }
}
