import Foundation
import HTTPTransports
import ImageTransporting
import Testing

@Suite(
    "HTTP/2 over TLS with nginx", .timeLimit(.minutes(10)),
    .enabled(if: NginxServer.isAvailable, "needs nginx and openssl: apt-get install nginx-light openssl"))
struct HTTP2Tests {
    @Test("HTTP/2 is negotiated, and many requests share one connection", arguments: HTTPTransport.allCases)
    func negotiated(_ http: HTTPTransport) async throws {
        let image = pattern(200_000)
        let server = try await NginxServer(files: ["a": image])
        let transport = http.make(rootsFile: server.rootsFile)
        let url = try server.url("/a")
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<32 {
                group.addTask { try await collect(try await transport.send(TransportRequest(url: url)).body) }
            }
            for try await bytes in group { #expect(bytes == image) }
        }
        let log = try server.log().map { $0.split(separator: " ") }
        #expect(log.count == 32)
        #expect(Set(log.map { $0[0] }) == ["HTTP/2.0"])
        #expect(Set(log.map { $0[3] }).count == 1)
    }

    @Test("redirects are followed with 16 requests in flight", arguments: HTTPTransport.allCases)
    func redirects(_ http: HTTPTransport) async throws {
        let image = pattern(50_000)
        let server = try await NginxServer(files: ["a": image])
        let transport = http.make(rootsFile: server.rootsFile)
        let url = try server.url("/moved/a")
        try await withThrowingTaskGroup(of: (URL, [UInt8]).self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let response = try await transport.send(TransportRequest(url: url))
                    return (response.head.url, try await collect(response.body))
                }
            }
            for try await (end, bytes) in group {
                #expect(end.path() == "/a")
                #expect(bytes == image)
            }
        }
    }

    @Test("a certificate of an unknown authority is rejected", arguments: HTTPTransport.allCases)
    func unknownAuthority(_ http: HTTPTransport) async throws {
        let server = try await NginxServer(files: ["a": [1]])
        #expect(await failure(http.make(), TransportRequest(url: try server.url("/a")))?.kind == "tls")
        #expect(try server.log().isEmpty)
    }

    @Test(
        "concurrent requests to an untrusted server all fail with a TLS error",
        arguments: HTTPTransport.allCases)
    func manyRefused(_ http: HTTPTransport) async throws {
        let server = try await NginxServer(files: ["a": [1]])
        let (transport, url) = (http.make(), try server.url("/a"))
        await withTaskGroup(of: TransportError?.self) { group in
            for _ in 0..<12 { group.addTask { await failure(transport, TransportRequest(url: url)) } }
            for await found in group {
                guard case .tls = found else {
                    Issue.record("\(String(describing: found))")
                    continue
                }
            }
        }
    }

    @Test("a certificate for another name is rejected", arguments: HTTPTransport.allCases)
    func wrongName(_ http: HTTPTransport) async throws {
        let server = try await NginxServer(files: ["a": [1]])
        let transport = http.make(rootsFile: server.rootsFile)
        let url = try server.url("/a", host: "127.0.0.1")
        #expect(await failure(transport, TransportRequest(url: url))?.kind == "tls")
    }

    @Test(
        "a paused stream and a released stream do not disturb others on the connection",
        arguments: HTTPTransport.allCases)
    func pausedStream(_ http: HTTPTransport) async throws {
        let big = Array(repeatElement(pattern(1 << 16), count: 64).joined())
        let server = try await NginxServer(files: ["big": big, "a": pattern(10_000)])
        let transport = http.make(perHost: 1, rootsFile: server.rootsFile)
        let paused = try await transport.send(TransportRequest(url: try server.url("/big")))
        do { _ = try await transport.send(TransportRequest(url: try server.url("/big"))) }
        for _ in 0..<50 {
            let response = try await transport.send(TransportRequest(url: try server.url("/a")))
            #expect(try await collect(response.body) == pattern(10_000))
        }
        #expect(try await collect(paused.body) == big)
        #expect(Set(try server.log().compactMap { $0.split(separator: " ").last }).count == 1)
    }
}
