import Foundation
import Hummingbird
import ImageLoaderKit

/// Makes thumbnails of the images of one origin.
struct Thumbnails: Sendable {
    let loader: ImageLoader
    let origin: URL

    /// - Parameter name: The name of an image at the origin, from a client.
    func jpeg(of name: String) async throws -> Data {
        let url = origin.appending(path: "images").appending(path: name)
        let image = try await loader.image(
            for: url, target: .fit(width: 300, height: 300))
        return try await image.encoded(
            as: .jpeg, options: EncodingOptions(quality: 0.8))
    }
}

let loader = ImageLoader { options in
    options.connectivityMonitor = nil  // a server without a default route isn't offline
}
guard let origin = URL(string: "http://127.0.0.1:8080") else { fatalError("no origin") }
let thumbnails = Thumbnails(loader: loader, origin: origin)

let router = Router()
router.get("health") { _, _ in HTTPResponse.Status.ok }
router.get("thumbnails/{name}") { _, context in
    let jpeg = try await thumbnails.jpeg(of: context.parameters.require("name"))
    return Response(
        status: .ok, headers: [.contentType: "image/jpeg"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: jpeg)))
}

let application = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8090)))
try await application.runService()
