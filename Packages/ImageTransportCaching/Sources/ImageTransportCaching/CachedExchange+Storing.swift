import HTTPTypes
import ImageHTTPCaching
import ImageTransporting

extension CachedExchange {
    /// So much is read of a body that its receiver hardly wants, in order to store it: bytes.
    private static let unwantedBytes = 64 << 10

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
        let isWanted = answer.head.status.kind == .successful
        let recording = BodyRecording(answer.response.body, writer, store, key) { byteCount in
            await store.insert(variant, key, to: request.headers)
            if isWanted { rules.observer(.stored(request.url, bytes: byteCount)) }
        }
        var response = answer.response
        // Who follows a redirect or gives up on an error does not read what comes with it.
        response.body = isWanted ? recording.body : await recording.body(readingAhead: Self.unwantedBytes)
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
