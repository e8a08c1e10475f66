import Foundation
import HTTPTypes
import ImageCore

extension ServerResponse {
    /// Creates the response for a result: the whole of it, a part, or the reason why the client needs none.
    init(_ answer: ImageAnswer, to request: ServerRequest, bounds: LifetimeBounds, now: Date) {
        let (data, metadata) = (answer.result.data, answer.result.metadata)
        var fields = answer.headerFields(bounds, now)
        if let status = answer.fallbackStatus {
            // As imgproxy names it.
            if let name = HTTPField.Name("Fallback-Image") { fields[name] = "1" }
            self.init(status: status, headers: fields, body: data)
            failure = answer.failure
            return
        }
        switch ConditionalAnswer(
            request: request.headers, method: request.method, tag: metadata.tag, byteCount: data.count)
        {
        case .full:
            self.init(status: 200, headers: fields, answer.result, 0..<data.count)
        case .partial(let range):
            self.init(status: 206, headers: fields, answer.result, range)
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(data.count)"
        case .notModified:
            self.init(status: 304, headers: fields)
            headers[.contentLength] = "\(data.count)"
            for name in [HTTPField.Name.contentType, .contentDisposition] { headers[name] = nil }
        case .preconditionFailed:
            self.init(status: 412, text: "the result has another entity tag\n")
        case .unsatisfiable:
            self.init(status: 416, text: "the range is outside of the result\n")
            headers[.contentRange] = "bytes */\(data.count)"
        }
    }

    /// Creates the response for a failure.
    init(_ failure: ServiceFailure) {
        self.init(status: failure.status, text: "\(failure)\n", headers: [.cacheControl: "no-store"])
        headers[.retryAfter] = failure.retrySeconds.map { "\($0)" }
        self.failure = failure
    }
}

extension HTTPField.Name {
    /// Where the result is from. The name is valid, so that the other one is never used.
    static let cacheLevel = HTTPField.Name("X-Cache") ?? .via
    /// The number of frames that the limits left out.
    static let leftOutFrames = HTTPField.Name("X-Left-Out-Frames") ?? .via
    /// What the source has and the result hasn't: a list of tokens (RFC 9651, 3.1).
    static let losses = HTTPField.Name("Image-Losses") ?? .via
    /// The times of the stages (W3C Server Timing).
    static let serverTiming = HTTPField.Name("Server-Timing") ?? .via
    /// The identity of the request in the logs.
    static let requestID = HTTPField.Name("X-Request-Id") ?? .via
    /// What the caches did (RFC 9211).
    static let cacheStatus = HTTPField.Name("Cache-Status") ?? .via
    /// How soon a client needs a response, and whether it is used while it arrives (RFC 9218).
    static let priority = HTTPField.Name("Priority") ?? .via
    /// The placeholder of the result, which a loader shows before the body has arrived.
    static let thumbHash = HTTPField.Name("ThumbHash") ?? .via
    /// The upright size of the source in pixels.
    static let sourceSize = HTTPField.Name("Source-Size") ?? .via
    /// The size of the result in pixels.
    static let resultSize = HTTPField.Name("X-Result-Size") ?? .via
}

extension ImageAnswer {
    /// The time until which a client may keep the result: not longer than the URL is valid.
    private var freshUntil: Date {
        let end =
            url.options.expires > 0 ? Date(timeIntervalSince1970: TimeInterval(url.options.expires)) : .distantFuture
        return min(result.metadata.freshUntil, end)
    }

    fileprivate func headerFields(_ bounds: LifetimeBounds, _ now: Date) -> HTTPFields {
        let metadata = result.metadata
        var fields = preparedFields.fields(for: metadata.tag) { constantFields }
        fields[.cacheControl] = bounds.cacheControl(metadata.storage, freshUntil: freshUntil, now: now)
        fields[.cacheLevel] = level.rawValue
        fields[.cacheStatus] = StructuredFields.cacheStatus[level]
        let timing = times.serverTiming
        if !timing.isEmpty { fields[.serverTiming] = timing }
        return fields
    }

    /// Keeps browsers from running scripts of a drawing, and from loading what it refers to.
    private static let inertDrawing = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

    /// The fields that depend on the URL and the result only.
    private var constantFields: HTTPFields {
        let metadata = result.metadata
        let output = OutputFormats.output(for: metadata.imageFormat)
        var fields: HTTPFields = [
            .contentType: OutputFormats.mediaType(of: metadata.imageFormat), .eTag: metadata.tag,
            .acceptRanges: "bytes", .xContentTypeOptions: "nosniff",
            .resultSize: "\(metadata.width)x\(metadata.height)",
            .contentDisposition: ContentDisposition.value(
                url,
                extension: output?.extensions.first
                    ?? (metadata.imageFormat == .unknown ? nil : metadata.imageFormat.fileExtension)),
        ]
        fields[.thumbHash] = metadata.thumbHash.flatMap(StructuredFields.bytes)
        fields[.sourceSize] = metadata.sourceSize.flatMap(StructuredFields.size)
        if metadata.imageFormat == .svg { fields[.contentSecurityPolicy] = Self.inertDrawing }
        if let count = metadata.leftOutFrames { fields[.leftOutFrames] = "\(count)" }
        if let losses = metadata.losses { fields[.losses] = losses.joined(separator: ", ") }
        if !vary.isEmpty { fields[.vary] = vary }
        return fields
    }
}

/// The name under which a browser saves a result (RFC 6266).
enum ContentDisposition {
    /// - Parameter extension: The extension of the name; nil for that of the source.
    static func value(_ url: ImageURL, extension: String?) -> String {
        let stem = url.options.filename.isEmpty ? stem(of: url.source) : url.options.filename
        let ending = `extension` ?? url.source.pathExtension
        let name = ending.isEmpty ? stem : "\(stem).\(ending)"
        let plain = String(name.map { isPlain($0) ? $0 : "_" })
        let kind = url.options.isAttachment ? "attachment" : "inline"
        let value = "\(kind); filename=\"\(plain)\""
        if plain == name { return value }
        return value + "; filename*=UTF-8''" + name.utf8.percentEncoded { isPlain($0) && $0 != " " }
    }

    private static func stem(of source: URL) -> String {
        let last = OriginPath(source).bytes.split(separator: OriginPath.slash).last ?? []
        let stem = last.prefix(upTo: last.lastIndex(of: UInt8(ascii: ".")) ?? last.endIndex)
        return stem.isEmpty ? "image" : String(String(decoding: stem, as: UTF8.self).prefix(100))
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_. ".contains(character))
    }
}
