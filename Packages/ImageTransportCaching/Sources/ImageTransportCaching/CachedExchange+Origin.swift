import HTTPTypes
import ImageHTTPCaching
import ImageTransporting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CachedExchange {
    /// A response from the origin, with the times between which it came.
    struct Answer {
        var response: TransportResponse
        var requestTime: Date
        var responseTime: Date

        var head: ResponseHead { response.head }
    }

    func fetch() async throws(TransportFailure) -> TransportResponse { await handOn(try await ask([:])) }

    private func ask(_ conditions: HTTPFields) async throws(TransportFailure) -> Answer {
        var request = request
        // A HEAD tells the state of the resource by itself.
        if request.method == .get { request.headers.append(contentsOf: conditions) }
        let requestTime = store.now()
        let response = try await network.send(request)
        return Answer(response: response, requestTime: requestTime, responseTime: store.now())
    }

    /// RFC 9111, 4.3.
    func validate(
        _ stored: Stored, _ conditions: HTTPFields, _ permission: StalePermission
    ) async throws(TransportFailure) -> TransportResponse {
        let answer: Answer
        do throws(TransportFailure) {
            answer = try await ask(conditions)
        } catch {
            guard permission.covers(error) else { throw error }
            return try serve(stored, .stale)
        }
        switch await judge(answer, about: stored.variant, permission) {
        case .confirmed(let response):
            var stored = stored
            stored.variant.response = response
            return try serve(stored, .validated)
        case .undecided: return try serve(stored, .stale)
        case .misunderstood: return try await fetch()
        case .replaced: return await handOn(answer)
        }
    }

    /// Judges an answer, and notes what it confirms.
    private func judge(
        _ answer: Answer, about variant: VariantIndex.Variant, _ permission: StalePermission
    ) async -> ValidationVerdict {
        let verdict = ValidationVerdict(
            answer.head, about: variant.response, permission: permission, requestTime: answer.requestTime,
            responseTime: answer.responseTime)
        if verdict != .replaced { answer.response.body.discard() }
        if case .confirmed(let response) = verdict {
            await store.change(key) { $0.update(variant.bodyName, to: response) }
        }
        return verdict
    }

    // MARK: Behind an answer

    /// RFC 5861, 3. One question at a time for each key.
    func revalidateBehind(_ variant: VariantIndex.Variant) {
        guard revalidations.insert(key.text) else { return }
        rules.inBackground(request.url) {
            let outcome = await revalidate(variant)
            revalidations.remove(key.text)
            rules.observer(.revalidated(request.url, outcome))
        }
    }

    private func revalidate(_ variant: VariantIndex.Variant) async -> RevalidationOutcome {
        do throws(TransportFailure) {
            let answer = try await ask(variant.response.validationFields)
            let response: TransportResponse
            switch await judge(answer, about: variant, .never) {
            case .confirmed: return .confirmed
            case .misunderstood: response = try await fetch()
            case .undecided, .replaced: response = await handOn(answer)
            }
            for try await _ in response.body {}
            return .replaced(status: response.head.status.code)
        } catch {
            return .failed(error)
        }
    }
}
