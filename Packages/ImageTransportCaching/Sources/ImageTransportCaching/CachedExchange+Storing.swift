import HTTPTypes
import ImageHTTPCaching
import ImageTransporting

extension CachedExchange {
    /// The longest body of a redirect that is read in order to store it, in bytes.
    private static let redirectBytes = 64 << 10

    /// Gives an answer of the origin's to who asked, and stores it meanwhile where that is allowed.
    func handOn(_ answer: Answer) async -> TransportResponse {
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

    private func storing(_ answer: Answer, as response: StoredHTTPResponse) async -> TransportResponse {
        let expected = answer.head.expectedBytes
        guard let variant = VariantIndex.Variant(response),
            let writer = await store.writer(variant.bodyName, of: key, expectedByteCount: expected)
        else { return answer.response }
        let recording = BodyRecording(answer.response.body, writer, store) {
            await store.insert(variant, key, to: request.headers)
        }
        var response = answer.response
        // Nobody reads the body of a redirect that is followed.
        let isCollected = RedirectTrail.isRedirect(answer.head) && expected.map { $0 <= Self.redirectBytes } ?? false
        response.body = isCollected ? await recording.collected() : recording.body
        return response
    }

    /// RFC 9111, 4.3.5.
    private func describe(by answer: Answer) async {
        guard answer.head.describesTheResource else { return }
        await store.change(key) { index in
            for variant in index.variants where variant.response.isSelected(by: request.headers) {
                let described = variant.response.described(
                    by: answer.head, requestTime: answer.requestTime, responseTime: answer.responseTime)
                if let described {
                    index.update(variant.bodyName, to: described)
                } else {
                    index.remove(variant.bodyName)
                }
            }
        }
    }
}
