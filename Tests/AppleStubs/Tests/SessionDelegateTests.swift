import AppleFoundation
import Foundation
import HTTPTypes
import ImageCore
import ImageTesting
import ImageTransporting
import Synchronization
import Testing

@testable import ImageTransportURLSession

// The events of URLSession, made by the test.
@Suite("The delegate of the transport over URLSession")
struct SessionDelegateTests {
    typealias Meaning = @Sendable (String) -> TransportError

    private let delegate = SessionDelegate()
    private let session = URLSession(configuration: .ephemeral)
    private let url: URL

    init() throws { url = try #require(URL(string: "https://example.com/a.jpg")) }

    @Test("the handler receives the metrics of a task")
    func metrics() {
        let received = MessageLog<URLSessionTaskMetrics>()
        let delegate = SessionDelegate(onMetrics: { received.append($0) })
        let metrics = URLSessionTaskMetrics()
        delegate.urlSession(session, task: session.dataTask(with: url), didFinishCollecting: metrics)
        #expect(received.messages == [metrics])
    }

    @Test("the handler answers challenges, and without one the system does")
    func challenges() {
        let space = URLProtectionSpace(host: "a", port: 443, protocol: "https", realm: nil, authenticationMethod: nil)
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: ChallengeSender())
        let answers = MessageLog<URLSession.AuthChallengeDisposition>()
        for delegate in [delegate, SessionDelegate { _ in (.cancelAuthenticationChallenge, nil) }] {
            delegate.urlSession(session, task: session.dataTask(with: url), didReceive: challenge) { answer, _ in
                answers.append(answer)
            }
        }
        #expect(answers.messages == [.performDefaultHandling, .cancelAuthenticationChallenge])
    }

    /// A transfer whose task never runs.
    private func transfer(
        bodyByteLimit: Int = 1_000, method: HTTPRequest.Method = .get
    ) -> (task: URLSessionDataTask, channel: TransferChannel) {
        let task = session.dataTask(with: url)
        let request = TransportRequest(url: url, method: method, bodyByteLimit: bodyByteLimit)
        let pause = TransferPause(suspend: {}, resume: {})
        let channel = TransferChannel(request: request, resume: { pause.end() }, stop: {})
        channel.connected()
        delegate.add(SessionTransfer(channel: channel, pause: pause), for: task)
        return (task, channel)
    }

    /// Delivers a response, and returns whether the delegate accepts it.
    private func deliver(
        _ headers: [String: String], status: Int = 200, to task: URLSessionDataTask
    ) throws -> URLSession.ResponseDisposition? {
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers))
        let disposition = Mutex<URLSession.ResponseDisposition?>(nil)
        delegate.urlSession(session, dataTask: task, didReceive: response) { answer in
            disposition.withLock { $0 = answer }
        }
        return disposition.withLock { $0 }
    }

    private func failure(_ body: TransportBody) async -> TransportError? {
        do throws(TransportError) {
            _ = try await body.collected(expectedByteCount: nil, byteLimit: .max)
            return nil
        } catch {
            return error
        }
    }

    private static let meanings: [(URLError.Code, Meaning)] = [
        (.cancelled, { _ in .cancelled }), (.timedOut, { _ in .timedOut(.head) }),
        (.badURL, { .invalidURL($0) }), (.unsupportedURL, { .invalidURL($0) }),
        (.cannotFindHost, { .unresolvedHost($0) }), (.dnsLookupFailed, { .unresolvedHost($0) }),
        (.cannotConnectToHost, { .connectionFailed($0) }), (.notConnectedToInternet, { .connectionFailed($0) }),
        (.networkConnectionLost, { .connectionLost($0) }), (.badServerResponse, { .malformedResponse($0) }),
        (.dataLengthExceedsMaximum, { .malformedResponse($0) }), (.secureConnectionFailed, { .tls($0) }),
        (.serverCertificateUntrusted, { .tls($0) }), (.unknown, { .other($0) }),
    ]

    @Test("each error of URLSession has its failure", arguments: meanings)
    func errors(_ code: URLError.Code, _ meaning: Meaning) async {
        let (task, channel) = transfer()
        let error = URLError(code)
        delegate.urlSession(session, task: task, didCompleteWithError: error)
        await #expect(throws: meaning(error.localizedDescription)) { try await channel.response() }
    }

    @Test("another error, and an end without a response, are failures")
    func otherErrors() async {
        struct Unknown: Error {}
        let (unknown, ended) = (transfer(), transfer())
        delegate.urlSession(session, task: unknown.task, didCompleteWithError: Unknown())
        await #expect(throws: TransportError.other(Unknown().localizedDescription)) {
            try await unknown.channel.response()
        }
        delegate.urlSession(session, task: ended.task, didCompleteWithError: nil)
        await #expect(throws: TransportError.connectionLost("no response")) { try await ended.channel.response() }
    }

    @Test("a body that stops is closed early or timed out, with the bytes that have arrived")
    func stoppedBodies() async throws {
        let ends: [(URLError?, TransportError)] = [
            (URLError(.networkConnectionLost), .closedEarly(received: 3, expected: 9)),
            (URLError(.timedOut), .timedOut(.body)),
            (nil, .closedEarly(received: 3, expected: 9)),
        ]
        for (error, expected) in ends {
            let (task, channel) = transfer()
            #expect(try deliver(["Content-Length": "9", "X-A": "b"], to: task) == .allow)
            let response = try await channel.response()
            #expect(response.head.headers[.contentLength] == "9")
            delegate.urlSession(session, dataTask: task, didReceive: Data([1, 2, 3]))
            delegate.urlSession(session, task: task, didCompleteWithError: error)
            #expect(await failure(response.body) == expected)
        }
    }

    @Test("the announced length is that of the body, and none of an encoded one")
    func lengths() async throws {
        for (headers, status, expected) in [
            (["Content-Length": "9"], 200, 9), (["Content-Length": "9", "Content-Encoding": "gzip"], 200, nil),
            (["Content-Length": "9"], 304, 0), ([:], 200, nil),
        ] as [([String: String], Int, Int?)] {
            let (task, channel) = transfer()
            _ = try deliver(headers, status: status, to: task)
            #expect(try await channel.response().head.expectedByteCount == expected)
        }
        let (task, channel) = transfer(method: .head)
        _ = try deliver(["Content-Length": "9"], to: task)
        #expect(try await channel.response().head.expectedByteCount == 0)
    }

    @Test("a body that is too large is refused at its head or when it arrives, and that of a redirect is not")
    func tooLarge() async throws {
        let (announced, redirect, arriving) = (
            transfer(bodyByteLimit: 8), transfer(bodyByteLimit: 8), transfer(bodyByteLimit: 8)
        )
        #expect(try deliver(["Content-Length": "9"], to: announced.task) == .cancel)
        await #expect(throws: TransportError.tooLarge(byteLimit: 8)) { try await announced.channel.response() }
        #expect(try deliver(["Content-Length": "9", "Location": "/b"], status: 302, to: redirect.task) == .allow)
        #expect(try deliver([:], to: arriving.task) == .allow)
        let response = try await arriving.channel.response()
        delegate.urlSession(session, dataTask: arriving.task, didReceive: Data(count: 9))
        #expect(await failure(response.body) == .tooLarge(byteLimit: 8))
    }

    @Test("a redirect is delivered as a response, and events of ended transfers are refused")
    func redirectsAndStrangers() throws {
        let (task, _) = transfer()
        let response = try #require(HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: [:]))
        let followed = Mutex<URLRequest?>(URLRequest(url: url))
        delegate.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: URLRequest(url: url)
        ) { request in
            followed.withLock { $0 = request }
        }
        #expect(followed.withLock { $0 } == nil)
        #expect(try deliver([:], to: session.dataTask(with: url)) == .cancel)
    }
}

private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
