import Foundation
import ImageCore
import ImageTransporting
import Testing

@testable import ImageLoading

@Suite("Errors of transports, decoders and applications")
struct ErrorMappingTests {
    @Test(
        "each failure of a transport has its kind",
        arguments: [
            (.unresolvedHost("a"), .unresolvedHost), (.connectionFailed("a"), .connectionRefused), (.tls("a"), .tls),
            (.timedOut(.body), .timedOut), (.closedEarly(received: 1, expected: 2), .truncatedBody),
            (.connectionLost("a"), .connectionLost), (.malformedResponse("a"), .malformedResponse),
            (.headTooLarge(byteLimit: 1), .malformedResponse), (.blockedAddress("a"), .blockedAddress),
            (.serverUnavailable("a"), .serverUnavailable), (.tooManyRedirects(1), .redirect),
            (.redirectLoop("a"), .redirect), (.blockedRedirect("a"), .redirect), (.other("a"), .other),
        ] as [(TransportError, NetworkFailure.Kind)])
    func networkFailures(failure: TransportError, kind: NetworkFailure.Kind) {
        #expect(ImageError(failure) == .network(kind, failure.description))
    }

    @Test(
        "other errors say what they are",
        arguments: [
            (TransportError.tooLarge(byteLimit: 9), .tooLarge(byteLimit: 9)),
            (TransportError.decodedBodyTooLarge(byteLimit: 9), .tooLarge(byteLimit: 9)),
            (TransportError.notFound("/a"), .notFound), (TransportError.cancelled, .cancelled),
            (TransportError.modifier(UnderlyingError(ImageError.offline)), .offline),
            (TransportError.modifier(UnderlyingError(Refused())), .modifier(UnderlyingError(Refused()))),
            (ImageDecodingError.cancelled, .cancelled), (CancellationError(), .cancelled),
            (ImageDecodingError.truncated(.png), .decoding(.truncated(.png))), (ImageError.offline, .offline),
        ] as [(any Error, ImageError)])
    func otherErrors(error: any Error, expected: ImageError) {
        #expect(ImageError(error) == expected)
    }

    @Test(
        "data that can't be decoded by anybody is its own cause",
        arguments: [
            (.unknownFormat, true), (.malformed(.png, "a"), true), (.truncated(.png), true),
            (.unsupported(.png, "a"), false), (.limitExceeded(.pixels, value: 2, allowed: 1), false),
            (.noSuchFrame(1, frameCount: 1), false), (.workerFailed(.timedOut), false), (.cancelled, false),
        ] as [(ImageDecodingError, Bool)])
    func damage(error: ImageDecodingError, isCausedByData: Bool) {
        #expect(error.isCausedByData == isCausedByData)
    }

    private struct Refused: Error {}
}
