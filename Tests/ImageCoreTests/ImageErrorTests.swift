import Foundation
import ImageCore
import Testing

@Suite("Image errors")
struct ImageErrorTests {
    @Test("an error says whether the request was cancelled")
    func cancelled() {
        #expect(ImageError.cancelled.isCancelled)
        let others = [ImageError.notFound, .shutDown, .offline, .network(.timedOut, ""), .decoding(.cancelled)]
        for error in others { #expect(!error.isCancelled) }
    }

    @Test("errors are equal if they have the same kind and values")
    func equal() {
        #expect(ImageError.httpStatus(500) == .httpStatus(500))
        #expect(ImageError.httpStatus(500) != .httpStatus(503))
        #expect(ImageError.decoding(.truncated(.png)) != .decoding(.truncated(.gif)))
        #expect(Set([ImageError.offline, .offline, .notFound]).count == 2)
    }

    @Test("failed connections and busy servers are transient")
    func transient() {
        let statuses = (100...599).filter { ImageError.httpStatus($0).isTransient }
        #expect(statuses == [408, 425, 429, 500, 502, 503, 504])
        let kinds = NetworkFailure.Kind.allCases.filter { ImageError.network($0).isTransient }
        #expect(kinds == [.unresolvedHost, .connectionRefused, .connectionLost, .truncatedBody, .timedOut])
        #expect(!ImageError.notFound.isTransient)
    }

    private enum SignIn: Error { case expired, refused }
    private struct Localized: LocalizedError { let errorDescription: String? = "sign in again" }
    private struct Other: Error, CustomStringConvertible { let description = "expired" }

    @Test("an error of an application is kept, and equal to one of its type and description")
    func underlying() throws {
        let failure = UnderlyingError(UnderlyingError(SignIn.expired))
        #expect(failure.error as? SignIn == .expired && "\(failure)" == "expired")
        #expect(failure == UnderlyingError(SignIn.expired) && failure != UnderlyingError(SignIn.refused))
        #expect(failure != UnderlyingError(Other()))
        #expect(Set([ImageError.fetch(failure), .fetch(UnderlyingError(SignIn.expired))]).count == 1)
        #expect(DataCacheError(SignIn.expired) == .other(failure) && DataCacheError(DataCacheError.noSpace) == .noSpace)
    }

    @Test("the text for people is the description")
    func localizedDescription() {
        #expect((ImageError.notFound as any Error).localizedDescription == "not found")
        #expect("\(ImageError.httpStatus(503))" == "the server responded with status 503")
        #expect((DataCacheError.noSpace as any Error).localizedDescription == "the device or the quota is full")
        #expect(
            (ImageError.fetch(UnderlyingError(SignIn.expired)) as any Error).localizedDescription.hasSuffix("expired"))
        #expect(UnderlyingError(Localized()).errorDescription == "sign in again")
    }
}
