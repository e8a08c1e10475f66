import HTTPTypes
import ImageCore
import ImageHTTPCaching
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One GET or HEAD on its way past what is stored. Carries out what `HTTPCachePolicy` and `ValidationVerdict` say.
struct CachedExchange: Sendable {
    typealias Variant = VariantIndex.Variant

    /// The longest body of a redirect that is read in order to store it, in bytes.
    private static let redirectBytes = 64 << 10

    /// A response from the origin, with the times between which it came.
    struct Answer {
        var response: TransportResponse
        var requestTime: Date
        var responseTime: Date

        var head: ResponseHead { response.head }
    }

    let request: TransportRequest
    let key: String
    let network: any DataTransport
    let store: ResponseStore
    let rules: CachingRules
    let revalidations: RevalidationRegister

    /// A HEAD is answered as the GET would be (RFC 9110, 9.3.2).
    private var question: HTTPCacheRequest { HTTPCacheRequest(headers: request.headers) }

    func response() async throws(TransportFailure) -> TransportResponse {
        if request.cacheUse == .reload { return try await fetch() }
        var variants = await store.index(key).variants
        while true {
            switch rules.policy.answer(to: question, from: variants.map(\.response), at: store.now()) {
            case .use(let index, let isStale, let revalidates):
                let variant = variants.remove(at: index)
                guard let response = try await serve(variant, isStale ? .stale : .cache) else { continue }
                if revalidates { revalidateBehind(variant) }
                return response
            case .validate(let index, let conditions, let permission):
                let variant = variants.remove(at: index)
                guard let stored = await store.body(of: variant, key) else { continue }
                return try await validate(variant, stored, conditions, permission)
            case .fetch: return try await fetch()
            case .unavailable: return unavailable
            }
        }
    }

    /// What answers without the origin.
    func storedResponse(acceptsStale: Bool) async -> TransportResponse? {
        var variants = await store.index(key).variants
        while true {
            let answer = rules.policy.answer(to: question, from: variants.map(\.response), at: store.now())
            let (index, source, revalidates): (Int, ResponseSource, Bool)
            switch answer {
            case .use(let variant, let isStale, let asksBehind):
                (index, source, revalidates) = (variant, isStale ? .stale : .cache, asksBehind && !acceptsStale)
            case .validate(let variant, _, _) where acceptsStale: (index, source, revalidates) = (variant, .stale, false)
            default: return nil
            }
            let variant = variants.remove(at: index)
            guard let stored = await store.body(of: variant, key) else { continue }
            if revalidates { revalidateBehind(variant) }
            return serve(variant.response, stored, source)
        }
    }

    // MARK: From what is stored

    /// Nil when the body is gone.
    private func serve(
        _ variant: Variant, _ source: ResponseSource
    ) async throws(TransportFailure) -> TransportResponse? {
        guard let stored = await store.body(of: variant, key) else { return nil }
        guard stored.byteCount <= request.maxBodyBytes else { throw .tooLarge(allowedBytes: request.maxBodyBytes) }
        return serve(variant.response, stored, source)
    }

    private func serve(
        _ response: StoredHTTPResponse, _ stored: StoredBody, _ source: ResponseSource
    ) -> TransportResponse {
        let isHead = request.method == .head
        let head = ResponseHead(
            status: .init(code: response.status),
            headers: response.headers(at: store.now(), isValidated: source == .validated), url: request.url,
            expectedBytes: isHead ? 0 : stored.byteCount)
        return TransportResponse(head: head, body: isHead ? TransportBody(Data()) : stored.body, source: source)
    }

    /// RFC 9111, 5.2.1.7.
    private var unavailable: TransportResponse {
        let head = ResponseHead(status: .gatewayTimeout, url: request.url, expectedBytes: 0)
        return TransportResponse(head: head, body: TransportBody(Data()), source: .cache)
    }

    // MARK: With the origin

    private func fetch() async throws(TransportFailure) -> TransportResponse { await handOn(try await ask([:])) }

    private func ask(_ conditions: HTTPFields) async throws(TransportFailure) -> Answer {
        var request = request
        for field in conditions { request.headers.append(field) }
        let requestTime = store.now()
        let response = try await network.send(request)
        return Answer(response: response, requestTime: requestTime, responseTime: store.now())
    }

    private func validate(
        _ variant: Variant, _ stored: StoredBody, _ conditions: HTTPFields, _ permission: StalePermission
    ) async throws(TransportFailure) -> TransportResponse {
        let answer: Answer
        do throws(TransportFailure) {
            answer = try await ask(request.method == .head ? [:] : conditions)
        } catch {
            guard permission.covers(error) else { throw error }
            return serve(variant.response, stored, .stale)
        }
        let verdict = ValidationVerdict(
            answer.head, about: variant.response, permission: permission, requestTime: answer.requestTime,
            responseTime: answer.responseTime)
        if verdict != .replaced { answer.response.body.discard() }
        switch verdict {
        case .confirmed(let response):
            await store.change(key) { $0.update(variant.bodyName, to: response) }
            return serve(response, stored, .validated)
        case .undecided: return serve(variant.response, stored, .stale)
        case .misunderstood: return try await fetch()
        case .replaced: return await handOn(answer)
        }
    }

    /// RFC 5861, 3.
    private func revalidateBehind(_ variant: Variant) {
        guard revalidations.insert(key) else { return }
        rules.inBackground {
            let outcome = await revalidate(variant)
            revalidations.remove(key)
            if let outcome { rules.observer(.revalidated(request.url, outcome)) }
        }
    }

    /// Nil when there is nothing any more to be asked about.
    private func revalidate(_ variant: Variant) async -> RevalidationOutcome? {
        guard let stored = await store.body(of: variant, key) else { return nil }
        do throws(TransportFailure) {
            let response = try await validate(variant, stored, variant.response.validationFields, .never)
            if response.source == .validated { return .confirmed }
            for try await _ in response.body {}
            return .replaced(status: response.head.status.code)
        } catch {
            return .failed(error)
        }
    }

    // MARK: Storing

    private func handOn(_ answer: Answer) async -> TransportResponse {
        let response = StoredHTTPResponse(
            answer.head, to: request.headers, requestTime: answer.requestTime, responseTime: answer.responseTime)
        if request.method == .head {
            await describe(by: answer)
        } else if rules.policy.mayStore(response, to: question) {
            return await storing(answer, as: response)
        } else if answer.head.describesTheResource, question.isPlainGet {
            await store.change(key) { $0.remove(selectedBy: request.headers, outdatedAt: answer.requestTime) }
        }
        return answer.response
    }

    /// RFC 9111, 4.3.5.
    private func describe(by answer: Answer) async {
        guard answer.head.describesTheResource else { return }
        await store.change(key) { index in
            for variant in index.variants where variant.response.isSelected(by: request.headers) {
                let described = variant.response.described(
                    by: answer.head, requestTime: answer.requestTime, responseTime: answer.responseTime)
                if let described { index.update(variant.bodyName, to: described) } else { index.remove(variant.bodyName) }
            }
        }
    }

    private func storing(_ answer: Answer, as response: StoredHTTPResponse) async -> TransportResponse {
        guard let variant = try? Variant(response) else { return answer.response }
        let expected = answer.head.expectedBytes
        guard let writer = await store.writer(variant.bodyName, of: key, expectedByteCount: expected) else {
            return answer.response
        }
        let recording = BodyRecording(answer.response.body, writer, store) {
            await store.insert(variant, key, to: request.headers)
        }
        var response = answer.response
        // Nobody reads the body of a redirect that is followed.
        let isCollected = RedirectTrail.isRedirect(answer.head) && expected.map { $0 <= Self.redirectBytes } ?? false
        response.body = isCollected ? await recording.collected() : recording.body
        return response
    }
}
