import Foundation
import Hummingbird
import ImageLoaderKit

/// Makes thumbnails of the images of one origin.
struct Thumbnails: Sendable {
    let loader: ImageLoader
    let origin: URL

    /// - Parameters:
    ///   - name: The name of an image at the origin, from a client.
    ///   - side: The longest side, in pixels.
    func jpeg(of name: String, side: Int) async throws -> Data {
        guard name.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) }),
            !name.hasPrefix(".")
        else {
            throw ImageError.invalidURL(name)
        }
        let url = origin.appending(path: "images").appending(path: name)
        let image = try await loader.image(
            for: url, target: .fit(width: side, height: side))
        return try await image.encoded(
            as: .jpeg, options: EncodingOptions(quality: 0.8))
    }
}

extension ImageError {
    /// The response of a server that could not load the image.
    var status: HTTPResponse.Status {
        switch self {
        case .invalidURL: .badRequest
        case .notFound: .notFound
        case .decoding, .tooLarge: .unprocessableContent
        default: .badGateway
        }
    }
}

let loader = ImageLoader { options in
    options.decodingLimits.maxPixels = 50_000_000
    options.transferOptions.bodyByteLimit = 32 << 20
    options.transferOptions.totalTimeout = .seconds(30)
    options.connectivityMonitor = nil  // a server without a default route isn't offline
}
guard let origin = URL(string: "http://127.0.0.1:8080") else { fatalError("no origin") }
let thumbnails = Thumbnails(loader: loader, origin: origin)

let router = Router()
router.get("health") { _, _ in HTTPResponse.Status.ok }
router.get("thumbnails/{name}") { request, context in
    let side = request.uri.queryParameters.get("side", as: Int.self) ?? 300
    guard (16...1_080).contains(side) else {
        throw HTTPError(.badRequest, message: "side is 16 to 1080")
    }
    do {
        let jpeg = try await thumbnails.jpeg(
            of: context.parameters.require("name"), side: side)
        return Response(
            status: .ok,
            headers: [
                .contentType: "image/jpeg", .cacheControl: "public, max-age=3600",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: jpeg)))
    } catch let error as ImageError {
        throw HTTPError(error.status, message: error.description)
    }
}

let application = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8090)))
defer { loader.shutDown() }
// Returns after SIGTERM or SIGINT, when the requests in progress have ended.
try await application.runService()
