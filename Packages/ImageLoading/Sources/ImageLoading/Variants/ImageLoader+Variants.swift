public import ImageCore
import ImageTransporting

/// What a request says about variants, or which one was chosen for it.
private enum VariantUse: Sendable {
    case wanted(ImageVariants?, isLowData: Bool?)
    /// The URL is that of a variant. `larger` can be used in its place if it is stored.
    case chosen(larger: [URL], isLowData: Bool)
}

extension ImageUserInfo.Key {
    fileprivate static let variant = Self(rawValue: "ImageLoading.variant")
}

extension ImageRequest {
    private var variantUse: VariantUse? {
        get { userInfo[.variant, as: VariantUse.self] }
        set { userInfo[.variant] = newValue }
    }

    /// The variants of the image; nil for those of the loader, and `.original` to load its URL.
    public var variants: ImageVariants? {
        get { if case .wanted(let variants, _) = variantUse { variants } else { nil } }
        set { variantUse = .wanted(newValue, isLowData: isLowData) }
    }

    /// Whether to load less data: a smaller variant in lower quality, with ``RequestHints/lowData`` if the loader sends it.
    /// Nil if that depends on the cost of the network.
    public var isLowData: Bool? {
        get {
            switch variantUse {
            case .wanted(_, let isLowData): isLowData
            case .chosen(_, let isLowData): isLowData
            case nil: nil
            }
        }
        set { variantUse = .wanted(variants, isLowData: newValue) }
    }

    /// The URLs whose stored responses can be used in place of that of the chosen variant.
    fileprivate var largerVariants: [URL] {
        if case .chosen(let larger, _) = variantUse { larger } else { [] }
    }

    /// Returns the request for a variant.
    fileprivate func choosing(_ choice: ImageVariants.Choice, isLowData: Bool) -> ImageRequest {
        var request = self
        request.origin = .url(choice.url)
        request.identifier = identifier.map { "\($0) \(choice.name)" }
        request.variantUse = .chosen(larger: choice.larger, isLowData: isLowData)
        return request
    }

    fileprivate var isVariant: Bool { if case .chosen = variantUse { true } else { false } }
}

extension ImageLoaderParts {
    /// Whether a request should load less data.
    func isLowData(_ request: ImageRequest) -> Bool {
        request.isLowData ?? (networkCostMonitor.map { $0.condition != .normal } ?? false)
    }
}

extension ImageLoader {
    /// Returns the request for the variant that a request asks for; the request itself if there is none.
    func chosen(_ request: ImageRequest) -> ImageRequest {
        guard let variants = request.variants ?? configuration.variants, !request.isVariant,
            let url = request.url, let target = request.target, RedirectChain.isHTTP(url), !url.hasCredentials,
            request.headers.isEmpty, target.part == nil
        else { return request }
        let isLowData = configuration.isLowData(request)
        let choice = variants.choice(of: url, for: target, decoded: configuration.formats, isLowData: isLowData)
        return choice.map { request.choosing($0, isLowData: isLowData) } ?? request
    }

    /// Returns a stored response to the URL of a larger variant or of the original, which needs no download. Nil if none can
    /// be used without asking its server.
    func storedLargerVariant(for context: RequestContext, _ cacheUse: CacheUse) async -> OriginalResult? {
        guard cacheUse.answersAlone else { return nil }
        for url in context.request.largerVariants {
            var larger = context.request
            larger.origin = .url(url)
            larger.identifier = nil
            guard let response = await storedAnswer(to: larger, cacheUse) else { continue }
            let start = context.newestStart
            // A body that can't be read is a miss.
            guard let data = try? await collect(response) else { continue }
            return recordLoad(of: data, in: response, start, isStored: true, context)
        }
        return nil
    }

    /// Returns a stored response that is an image, as far as its status says.
    private func storedAnswer(to request: ImageRequest, _ cacheUse: CacheUse) async -> TransportResponse? {
        guard var lookup = try? TransportRequest(request, original(of: request), self) else { return nil }
        lookup.cacheUse = CacheUse(cacheUse.mode, access: .readOnly)
        guard case .stored(let response) = try? await transport.answer(to: lookup) else { return nil }
        guard response.head.error != nil else { return response }
        response.body.discard()
        return nil
    }
}
