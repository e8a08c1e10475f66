import Foundation
import ImageCore
import ImageLoading
import ImageTesting
import LoaderTestBed
import Testing

@testable import ImagePresenting

@Suite("What a binding decides")
struct BindingStateTests {
    private func request(_ name: String) -> ImageRequest {
        ImageRequest(.data(Data(name.utf8), name: name))
    }

    private func loaded(_ width: Int, from source: ImageSource = .network) -> LoadedImage {
        LoadedImage(image: LoaderTestBed.image(width: width), source: source, encodedByteCount: 1)
    }

    private func begin(_ state: inout BindingState, _ request: ImageRequest) throws -> BindingState.Generation {
        guard case .start(_, let generation) = state.bound(request) else { throw NotStarted() }
        return generation
    }

    /// Whether an event is taken.
    private func takes(
        _ state: inout BindingState, _ event: ImageTask.Event, _ generation: BindingState.Generation
    ) -> Bool {
        state.received(event, generation)
    }

    private struct NotStarted: Error {}

    @Test("an answer to an older binding of the same request is not taken, however late it comes")
    func sameRequestAgain() async throws {
        var state = BindingState(options: .init())
        let first = try begin(&state, request("a"))
        _ = try begin(&state, request("b"))
        let third = try begin(&state, request("a"))
        let (old, new) = (loaded(1), loaded(2))
        #expect(!takes(&state, .preview(old.image), first))
        #expect(!takes(&state, .finished(.success(old)), first))
        #expect(!takes(&state, .finished(.failure(.notFound)), first))
        #expect(state.appearance.text == "loading none")
        #expect(takes(&state, .finished(.success(new)), third))
        #expect(state.appearance.text == "success(network) final 2")
    }

    @Test("nothing comes after the end, nor after unbinding")
    func afterTheEnd() async throws {
        var state = BindingState(options: .init())
        let first = try begin(&state, request("a"))
        let (image, other) = (loaded(1), loaded(2))
        #expect(takes(&state, .finished(.success(image)), first))
        #expect(!takes(&state, .finished(.success(other)), first))
        #expect(!takes(&state, .finished(.failure(.notFound)), first))
        #expect(!takes(&state, .progress(WorkProgress(completedBytes: 1, totalBytes: 2)), first))
        #expect(!takes(&state, .preview(other.image), first))
        let second = try begin(&state, request("b"))
        _ = state.unbound()
        #expect(!takes(&state, .finished(.success(other)), second))
        #expect(state.appearance.text == "idle none")
    }

    @Test("an answer to the attempt before a retry is not taken")
    func beforeRetry() async throws {
        var state = BindingState(options: .init())
        let first = try begin(&state, request("a"))
        #expect(takes(&state, .finished(.failure(.offline)), first))
        guard case .start = state.retried() else { throw NotStarted() }
        #expect(!takes(&state, .finished(.failure(.notFound)), first))
        #expect(state.appearance.text == "loading none")
    }

    @Test("a cancellation that somebody else brought about is no failure, and being shown begins again")
    func cancelled() async throws {
        var state = BindingState(options: .init())
        let first = try begin(&state, request("a"))
        #expect(takes(&state, .finished(.failure(.cancelled)), first))
        #expect(state.appearance.text == "idle none")
        guard case .start = state.becameVisible(true) else { throw NotStarted() }
    }

    @Test("only what was waited for fades in", arguments: ImageSource.allCases)
    func transitions(source: ImageSource) async throws {
        var options = ImageBinding.Options()
        options.transition = .fadeIn(.seconds(1))
        var state = BindingState(options: options)
        let generation = try begin(&state, request("a"))
        #expect(takes(&state, .finished(.success(loaded(1, from: source))), generation))
        #expect(state.appearance.transition == (source == .memory ? .none : .fadeIn(.seconds(1))))
    }

    @Test("the request's transition counts before the binding's")
    func requestTransition() async throws {
        var options = ImageBinding.Options()
        options.transition = .fadeIn(.seconds(1))
        var state = BindingState(options: options)
        var request = request("a")
        request.options[.transition] = ImageTransition.crossDissolve(.seconds(2))
        let generation = try begin(&state, request)
        #expect(takes(&state, .finished(.success(loaded(1, from: .disk))), generation))
        #expect(state.appearance.transition == .crossDissolve(.seconds(2)))
    }

    @Test(
        "whatever happens in whatever order, with answers as late as may be, each image is the one that is wanted",
        arguments: 0..<40)
    func anyOrder(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var options = ImageBinding.Options()
        options.keepsOldImage = Bool.random(using: &random)
        options.loadsBeforeVisible = Bool.random(using: &random)
        options.releasesHiddenImage = Bool.random(using: &random)
        var run = Run(state: BindingState(options: options), images: [loaded(1), loaded(2), loaded(3)])
        for _ in 0..<400 {
            run.step(using: &random)
            #expect(run.complaint == nil, "seed \(seed)")
        }
    }
}

/// A binding to which anything happens, and everything that it was ever told to load may still be answered.
private struct Run {
    var state: BindingState
    let images: [LoadedImage]
    /// All that was begun: what for, and under which generation.
    private var begun: [(name: Int, attempt: Int, BindingState.Generation)] = []
    /// What is bound, and how many times loading has begun.
    private var wanted: (name: Int, attempt: Int)?
    private var attempts = 0

    init(state: BindingState, images: [LoadedImage]) {
        self.state = state
        self.images = images
    }

    mutating func step(using random: inout SeededRandom) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2:
            let name = Int.random(in: images.indices, using: &random)
            carryOut(state.bound(ImageRequest(.data(Data(), name: "\(name)"))), name)
        case 3: carryOut(state.becameVisible(Bool.random(using: &random)), wanted?.name)
        case 4: carryOut(state.retried(), wanted?.name)
        case 5:
            _ = state.unbound()
            wanted = nil
        default:
            if let answered = begun.randomElement(using: &random) { answer(answered, using: &random) }
        }
    }

    private mutating func carryOut(_ action: BindingState.Action, _ name: Int?) {
        guard let name else { return }
        switch action {
        case .none, .prioritise: break
        case .stop: wanted = (name, 0)
        case .start(_, let generation):
            attempts += 1
            wanted = (name, attempts)
            begun.append((name, attempts, generation))
        }
    }

    /// An answer that carries the number of its attempt as its size in bytes.
    private mutating func answer(
        _ answered: (name: Int, attempt: Int, BindingState.Generation), using random: inout SeededRandom
    ) {
        var loaded = images[answered.name]
        loaded.encodedByteCount = answered.attempt
        let isTaken =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: state.received(.preview(loaded.image), answered.2)
            case 1: state.received(.finished(.failure(.notFound)), answered.2)
            default: state.received(.finished(.success(loaded)), answered.2)
            }
        if isTaken, wanted?.attempt != answered.attempt { complaint = "took the answer to attempt \(answered.attempt)" }
    }

    /// What is wrong, if anything is.
    private(set) var complaint: String?
}
