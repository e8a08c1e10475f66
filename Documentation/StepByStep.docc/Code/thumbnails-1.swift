import Hummingbird

let router = Router()
router.get("health") { _, _ in HTTPResponse.Status.ok }

let application = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8090)))
try await application.runService()
