import Foundation
import ImageCore
import ImageLoading
import ImagePresenting
import ImageTesting
import LoaderTestBed
import Testing

@MainActor
@Suite("What adapters are made of", .timeLimit(.minutes(10)))
struct ViewBindingTests {
    private let fixture = LoaderTestBed()
    private let surface = RecordingSurface()

    private var hiddenLoadsNothing: ImageBinding.Options {
        var options = ImageBinding.Options()
        options.loadsBeforeVisible = false
        return options
    }

    @Test("a view's visibility counts for the binding that is made later")
    func visibility() async {
        let (binding, gate) = (ViewBinding(surface: surface), Gate())
        binding.bind(fixture.request("a", behind: gate), with: fixture.loader, options: hiddenLoadsNothing)
        #expect(fixture.transport.sendCount == 0)
        binding.isVisible = true
        await gate.arrivals(1)
        let other = ViewBinding(surface: surface)
        other.isVisible = true
        other.bind(fixture.request("b", behind: gate), with: fixture.loader, options: hiddenLoadsNothing)
        await gate.arrivals(2)
        other.unbind()
        await fixture.transport.cancellations(1)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
    }

    @Test("another loader takes the place of the one before, whose load is cancelled")
    func anotherLoader() async {
        let (binding, gate, second) = (ViewBinding(surface: surface), Gate(), LoaderTestBed())
        binding.bind(fixture.request("a", behind: gate), with: fixture.loader, options: ImageBinding.Options())
        await gate.arrivals(1)
        binding.bind(second.request("b", width: 7), with: second.loader, options: ImageBinding.Options())
        await fixture.transport.cancellations(1)
        gate.open()
        await surface.ends { $0.phase.isSuccess }
        #expect(surface.last.image?.bitmap.size.width == 7)
    }

    @Test("a failure is tried again")
    func retry() async {
        let binding = ViewBinding(surface: surface)
        binding.bind(fixture.failing(), with: fixture.loader, options: ImageBinding.Options())
        await surface.ends { $0.phase.isFailure }
        binding.retry()
        await surface.ends { $0.phase.isSuccess }
    }

    @Test("a toolkit's image is made once for each image, and is gone with it")
    func drawnImage() {
        var made = 0
        let drawn = DrawnImage { bitmap in
            made += 1
            return bitmap.size.width
        }
        let image = LoaderTestBed.image(width: 5)
        #expect(drawn.update(to: ImageAppearance(image: image, kind: .preview, imageNumber: 1)))
        #expect(!drawn.update(to: ImageAppearance(phase: .loading(nil), image: image, imageNumber: 1)))
        #expect(drawn.image == 5)
        #expect(made == 1)
        #expect(drawn.update(to: ImageAppearance(imageNumber: 2)))
        #expect(drawn.image == nil)
    }

    @Test("a warning of memory is told, and is over when it has been told")
    func memoryWarnings() {
        let (warnings, log) = (MemoryWarnings(), MessageLog<MemoryPressureLevel>())
        let observation = warnings.observe { log.append($0) }
        for _ in 0..<2 { warnings.tell() }
        #expect(log.messages == [.warning, .normal, .warning, .normal])
        #expect(warnings.level == .normal)
        withExtendedLifetime(observation) {}
    }

    @Test("what is taken back is what was announced, whatever the list says by then")
    func announced() async {
        let gate = Gate()
        let names = Watched(["a", "b"])
        let prefetches = AnnouncedPrefetches<Int>(prefetcher: ImagePrefetcher(loader: fixture.loader)) { [fixture] in
            names.value.indices.contains($0) ? fixture.request(names.value[$0], behind: gate) : nil
        }
        prefetches.announced([0, 1, 2])
        await fixture.transport.sends(2)
        names.change { $0 = ["c", "d"] }
        prefetches.takenBack([0])
        await fixture.transport.cancellations(1)
        #expect(
            fixture.transport.messages.contains {
                if case .cancelled(let url) = $0 { url.path.hasSuffix("a") } else { false }
            })
        gate.open()
        while fixture.memory.images.isEmpty { await Task.yield() }
    }

    @Test("a transition tells how long it takes")
    func seconds() {
        #expect(ImageTransition.none.seconds == nil)
        #expect(ImageTransition.fadeIn(.milliseconds(250)).seconds == 0.25)
        #expect(ImageTransition.crossDissolve(.seconds(2)).seconds == 2)
    }
}
