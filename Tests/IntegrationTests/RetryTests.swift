import Foundation
import HTTPTransports
import HTTPTypes
import ImageCore
import ImageLoaderKit
import ImageLoading
import ImagePresenting
import ImageTransporting
import Testing

@testable import ImageTesting

@MainActor
@Suite("The user's retry", .timeLimit(.minutes(5)))
struct RetryTests {
    private let network = ScriptedTransport()
    private let test: TestLoader
    private let request: ImageRequest

    init() throws {
        let http = try #require(HTTPTransport.allCases.first)
        test = TestLoader(http) { [network] in $0.makeTransport = { _ in network } }
        let url = try #require(URL(string: "http://images.example/a"))
        request = ImageRequest(url: url)
        let image = Data(try Images.png(4, 3))
        network.script(
            url, .status(.notFound, headers: [.cacheControl: "max-age=600"]), .status(.gone), .ok(image))
    }

    @Test("asks the origin each time, although it has stored the error")
    func binding() async {
        let surface = LoggingSurface()
        let binding = ImageBinding(loader: test.loader, surface: surface)
        for sends in 1...3 {
            if sends == 1 { binding.bind(request) } else { binding.retry() }
            await network.waitForSends(sends)
            await surface.ended(sends)
        }
        #expect(binding.appearance.phase.isSuccess)
        #expect(network.sendCount == 3)
    }

    @Test("a view that is bound again gets the stored error")
    func boundAgain() async {
        for ends in 1...2 {
            let surface = LoggingSurface()
            let binding = ImageBinding(loader: test.loader, surface: surface)
            binding.bind(request)
            await surface.ended(1)
            #expect(binding.appearance.phase.isFailure, "view \(ends)")
        }
        #expect(network.sendCount == 1)
    }
}

/// Counts how often loading ended.
@MainActor
private final class LoggingSurface: ImageSurface {
    private let ends = MessageLog<Bool>()

    func render(_ appearance: ImageAppearance) {
        if appearance.phase.isSuccess || appearance.phase.isFailure { ends.append(true) }
    }

    func ended(_ count: Int) async { await ends.waitForCount(count) }
}
