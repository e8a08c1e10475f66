import Foundation
import HTTPTypes
import ImageCore
import Logging
import Synchronization

/// A page that isn't for every client.
enum Page: String, Sendable, CaseIterable {
    /// A form that builds URLs, at `/`.
    case form
    /// The metrics, at `/metrics`.
    case metrics
}

/// Answers the requests of all paths. It knows no HTTP server.
package final class RequestHandler: Sendable {
    private let service: ImageService
    private let metrics: ServerMetrics
    private let pages: Set<Page>
    private let access: AccessLog
    private let workCounts: @Sendable () -> (waiting: Int, running: Int)
    private let rules: ResponseRules
    private let isShuttingDown = Atomic(false)
    /// The most bytes of all values of header fields.
    private static let maxHeaderBytes = 32_768

    /// - Parameter workCounts: Returns the numbers of downloads and decodes that wait and that run, for `/metrics`.
    init(
        service: ImageService, workCounts: @escaping @Sendable () -> (waiting: Int, running: Int),
        rules: ResponseRules = ResponseRules(), logger: Logger, access: AccessLog.Settings = AccessLog.Settings(),
        pages: Set<Page> = Set(Page.allCases)
    ) {
        self.service = service
        self.workCounts = workCounts
        self.rules = rules
        self.access = AccessLog(logger: logger, settings: access)
        self.pages = pages
        metrics = ServerMetrics(service.parts.metrics)
    }

    /// Makes `/health/ready` fail, so that no new requests are sent to this server.
    package func startShutdown() { isShuttingDown.store(true, ordering: .relaxed) }

    /// Returns the response if it needs no waiting.
    package func immediateResponse(to request: ServerRequest) -> ServerResponse? {
        var watch = Stopwatch(service.parts.clock)
        guard let request = rules.request(request) else {
            return finished(
                ServerResponse(status: 404, text: "the path has another prefix\n"), request, after: watch.lap())
        }
        if request.method == .delete, rules.purgeSecret != nil, !request.hasInvalidHost { return nil }
        if let response = refusal(of: request) { return finished(response, request, after: watch.lap()) }
        let response = ownPage(request) ?? imageInMemory(request)
        return response.map { finished($0, request, after: watch.lap()) }
    }

    /// Returns the response to a request that has neither a page nor an image as its response; nil to others.
    private func refusal(of request: ServerRequest) -> ServerResponse? {
        if request.hasInvalidHost { return ServerResponse(status: 400, text: "the Host field is missing or invalid\n") }
        if service.parts.forwarding.isTooLarge(request.headers) {
            return ServerResponse(status: 431, text: "the header fields for the origin are too large\n")
        }
        if request.headers.reduce(0, { $0 + $1.value.utf8.count }) > Self.maxHeaderBytes {
            return ServerResponse(status: 431, text: "the header fields are too large\n")
        }
        if request.method == .get || request.method == .head { return nil }
        if request.method == .options, let response = rules.preflightResponse { return response }
        return ServerResponse(
            status: 405, text: "only \(rules.methods) are supported\n", headers: [.allow: rules.methods])
    }

    /// Returns the response. Call it if there is no immediate one.
    package func response(to request: ServerRequest) async -> ServerResponse {
        let request = rules.request(request) ?? request
        var watch = Stopwatch(service.parts.clock)
        let span = service.parts.tracer.start(request)
        var response: ServerResponse
        do throws(ServiceFailure) {
            response = try await result(of: request, span.trace)
        } catch {
            response = ServerResponse(error)
        }
        response = finished(response, request, after: watch.lap(), span.trace)
        service.parts.tracer.end(span, request, response)
        return response
    }

    private func result(
        of request: ServerRequest, _ trace: TraceContext
    ) async throws(ServiceFailure) -> ServerResponse {
        if request.method == .delete { return try await purge(request) }
        if request.path == "/infos" { return try await infos(request, trace) }
        if request.path.hasPrefix("/info/") { return try await info(request, trace) }
        let answer = try await service.image(
            path: request.path, accept: request.headers[.accept], hints: hints(request), fields: request.headers,
            trace: trace)
        return response(answer, request)
    }

    /// Logs a request that is no HTTP, which the parser has answered with status 400.
    package func reportMalformedRequest(_ error: String, client: String?) {
        access.recordMalformed(error, client: client)
    }

    /// Returns the page for Prometheus.
    /// - Parameter accept: The Accept field of the request.
    package func metricsResponse(accept: String?) -> ServerResponse {
        updateGauges()
        return metrics.page(accept: accept)
    }

    /// Sets the metrics that go up and down.
    func updateGauges() { ServerMetrics.updateGauges(of: service.parts, work: workCounts()) }

    private func ownPage(_ request: ServerRequest) -> ServerResponse? {
        switch request.path {
        case "/" where pages.contains(.form): LandingPage.response
        case "/health", "/health/live": ServerResponse(status: 200, text: "alive\n")
        case "/health/ready":
            isShuttingDown.load(ordering: .relaxed)
                ? ServerResponse(status: 503, text: "shutting down\n") : ServerResponse(status: 200, text: "ready\n")
        case "/metrics" where pages.contains(.metrics): metricsResponse(accept: request.headers[.accept])
        case "/favicon.ico": ServerResponse(status: 204)
        default: nil
        }
    }

    private func imageInMemory(_ request: ServerRequest) -> ServerResponse? {
        guard !request.path.hasPrefix("/info/"), request.path != "/infos" else { return nil }
        do throws(ServiceFailure) {
            let answer = try service.imageInMemory(
                path: request.path, accept: request.headers[.accept], hints: hints(request), fields: request.headers)
            return answer.map { response($0, request) }
        } catch {
            return ServerResponse(error)
        }
    }

    private func hints(_ request: ServerRequest) -> ClientHints {
        var hints = service.parts.usesClientHints ? ClientHints(request.headers) : ClientHints()
        if service.parts.usesPriority {
            hints.isIncremental = StructuredFields.isIncremental(priority: request.headers[.priority])
        }
        return hints
    }

    private func info(
        _ request: ServerRequest, _ trace: TraceContext
    ) async throws(ServiceFailure) -> ServerResponse {
        let path = request.path.dropFirst("/info".count)
        return try infoResponse(await service.info(path: path, fields: request.headers, trace: trace))
    }

    /// Answers for the paths of the items `path` of the query, each as after `/info`.
    private func infos(
        _ request: ServerRequest, _ trace: TraceContext
    ) async throws(ServiceFailure) -> ServerResponse {
        let items = request.target.dropFirst(request.path.utf8.count + 1).split(separator: "&")
        let paths = items.filter { $0.hasPrefix("path=") }.compactMap { $0.dropFirst("path=".count).percentDecoded }
        guard !paths.isEmpty, paths.count <= ImageService.maxInfoCount else {
            return ServerResponse(
                status: 400, text: "1 to \(ImageService.maxInfoCount) items of the query are named path\n",
                headers: [.cacheControl: "no-store"])
        }
        return try infoResponse(await service.infos(paths: paths, fields: request.headers, trace: trace))
    }

    private func infoResponse(_ value: some Encodable) throws(ServiceFailure) -> ServerResponse {
        let caching = service.parts.forwarding.names.isEmpty ? "no-cache" : "private, no-cache"
        return ServerResponse(
            status: 200, headers: [.contentType: "application/json", .cacheControl: caching], body: try encoded(value))
    }

    /// Purges a result by its path, or with `/purge` before a source, the source and all of its results.
    private func purge(_ request: ServerRequest) async throws(ServiceFailure) -> ServerResponse {
        guard let secret = rules.purgeSecret, BearerToken.isValid(request.headers[.authorization], secret: secret)
        else {
            return ServerResponse(status: 401, text: "purges need the token\n", headers: [.wwwAuthenticate: "Bearer"])
        }
        let path = request.path
        let isComplete =
            try await
            (path.hasPrefix("/purge/")
            ? service.purgeSource(path: path.dropFirst("/purge".count)) : service.purgeResult(path: path))
        return isComplete
            ? ServerResponse(status: 204)
            : ServerResponse(status: 502, text: "purged here, but a cache can't be reached; try again\n")
    }

    private func encoded(_ info: some Encodable) throws(ServiceFailure) -> Data {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(info)
        } catch {
            throw .other("\(error)")
        }
    }

    private func response(_ answer: ImageAnswer, _ request: ServerRequest) -> ServerResponse {
        metrics.record(answer)
        return ServerResponse(answer, to: request, bounds: service.parts.bounds, now: service.parts.now())
    }

    private func finished(
        _ response: ServerResponse, _ request: ServerRequest, after time: Duration, _ trace: TraceContext? = nil
    ) -> ServerResponse {
        let id = Self.requestID(request.headers) ?? trace?.spanID ?? TraceContext.newSpanID()
        var response = request.method == .head ? response.withoutBody : response
        response.headers[.requestID] = id
        response.headers[.server] = "image-server"
        rules.apply(to: &response)
        metrics.record(response, time)
        access.record(request, response, id: id, trace: trace?.traceID, time: time)
        return response
    }

    /// Returns the identity that the client gave, if it can be logged.
    private static func requestID(_ fields: HTTPFields) -> String? {
        guard let id = fields[.requestID], (1...64).contains(id.utf8.count),
            id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        else { return nil }
        return id
    }
}
