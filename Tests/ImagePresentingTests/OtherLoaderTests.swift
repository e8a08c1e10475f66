import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import Testing

@testable import ImageTesting

@MainActor
@Suite("Bindings, models and prefetches of a fake loader, and bindings without a surface", .timeLimit(.minutes(10)))
struct OtherLoaderTests {
    private let loader = FakeImageLoader()
    private let surface = RecordingSurface()
    private let request = ImageRequest(.fetch(name: "a") { Data() })
    private let size = PixelSize(width: 4, height: 3)

    init() { loader.script(.image(size), for: request) }

    @Test("a failure and the cancellation of a fake loader reach the surface")
    func failures() async {
        let gate = TestGate()
        loader.script(.failure(.notFound), for: request)
        let binding = ImageBinding(loader: loader, surface: surface)
        binding.bind(request)
        await surface.ends { $0.phase.isFailure }
        loader.script(.held(gate, .image(size)), for: request)
        binding.retry()
        await gate.waitForArrivals(1)
        binding.unbind()
        await becomesTrue { loader.messages.contains(.cancelled("fetch a")) }
        #expect(surface.rendered.last == "idle empty")
    }

    @Test("a fake loader delivers versions of lower quality as previews")
    func lowQuality() async {
        let gate = TestGate()
        var large = ImageRequest(.fetch(name: "large") { Data() })
        large.lowQuality = [request]
        loader.script(.held(gate, .image(PixelSize(width: 8, height: 6))), for: large)
        let binding = ImageBinding(loader: loader, surface: surface)
        binding.bind(large)
        await surface.ends { $0.kind == .preview }
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(surface.last.image?.bitmap.size.width == 8)
    }

    /// A cell that has a binding before `self`.
    private final class Cell: ImageSurface {
        let binding: ImageBinding
        var rendered: [String] = []

        init(loader: any ImageLoaderProtocol) {
            binding = ImageBinding(loader: loader)
            binding.surface = self
        }

        func render(_ appearance: ImageAppearance) { rendered.append(appearance.text) }
    }

    @Test("a cell can create its binding before itself, and is held weakly")
    func surfaceLater() async throws {
        _ = try await loader.image(for: request)
        var cell: Cell? = Cell(loader: loader)
        #expect(cell?.rendered == [])
        cell?.binding.bind(request)
        #expect(cell?.rendered == ["success(memory) final 4"])
        weak let released = cell
        cell = nil
        #expect(released == nil)
    }

    @Test("a binding loads without a surface, and a surface that is set later renders what there is")
    func withoutSurface() async {
        let gate = TestGate()
        loader.script(.held(gate, .image(size)), for: request)
        let binding = ImageBinding(loader: loader)
        binding.bind(request)
        binding.surface = surface
        #expect(surface.rendered == ["loading empty"])
        binding.surface = nil
        gate.open()
        await becomesTrue { binding.appearance.phase.isSuccess }
        let second = RecordingSurface()
        binding.surface = second
        #expect(second.rendered == ["success(network) final 4"])
        #expect(surface.rendered == ["loading empty"])
    }
}
