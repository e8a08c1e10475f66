import HTTPTypes
import ImageCore
import ImageTransporting

/// What a loader tells servers with each request, so that they can answer with less or in a better order.
///
/// Fields of a request with the same name are kept. The disk cache compares the fields that the `Vary` of a response names.
public struct RequestHints: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `Accept` with the formats that the loader decodes (RFC 9110, 12.5.1).
    ///
    /// Shared caches of servers that choose the format keep a response for each text, so it isn't standard. Leave it out if
    /// variants name their format.
    public static let formats = RequestHints(rawValue: 1)
    /// `Save-Data: on` for `ImageRequest.isLowData`.
    public static let lowData = RequestHints(rawValue: 2)
    /// `Priority` with the priority of the request, and whether it is progressive (RFC 9218). It is added below the disk
    /// cache, which ignores it in `Vary`: a server may only vary how the same image is encoded. URLSession sends its own.
    public static let priority = RequestHints(rawValue: 4)
    /// Those that don't split the caches of servers: ``lowData`` and ``priority``.
    public static let standard: RequestHints = [.lowData, .priority]
}

extension TransportRequest {
    /// Adds the hints that can change the image. `Priority` can't, and is added below the cache.
    mutating func addHints(of parts: ImageLoaderParts, for request: ImageRequest) {
        guard RedirectChain.isHTTP(url) else { return }
        if parts.hints.contains(.formats), !parts.formats.isEmpty, headers[.accept] == nil {
            headers[.accept] = (parts.formats.map(\.mediaType) + ["*/*;q=0.5"]).joined(separator: ", ")
        }
        if parts.hints.contains(.lowData), parts.isLowData(request), let name = HTTPField.Name.saveData,
            headers[name] == nil
        {
            headers[name] = "on"
        }
    }
}

extension ImageLoader {
    /// Sends an event for what the server says about its work, and shows the placeholder of a response to those who want
    /// previews, before the body.
    func report(
        _ head: ResponseHead, of source: ResponseSource, _ context: RequestContext, _ shared: any SharedOperation
    ) {
        guard source == .network else { return }
        let reports = ["Cache-Status", "Server-Timing"].map { name in
            HTTPField.Name(name).flatMap { head.headers[$0] }
        }
        if reports != [nil, nil] { context.send(.serverReported(cacheStatus: reports[0], timing: reports[1])) }
        guard let placeholder = configuration.placeholder, wantsPreviews(of: context.key),
            let image = placeholder(OriginalResponse(head))
        else { return }
        // Below all previews, and below versions of lower quality.
        shared.report(ImagePreview(image, number: .min + 1))
    }
}
