import Foundation
import ImageCore
import ImageLoading
import Testing

@testable import ImagePresenting
@testable import ImageTesting

@Suite("The state of a binding")
struct BindingStateTests {
    private func request(_ name: String) -> ImageRequest {
        ImageRequest(.data(Data(name.utf8), name: name))
    }

    private func loaded(_ width: Int, from source: ImageSource = .network) -> LoadedImage {
        LoadedImage(decoded: LoaderTestBed.image(width: width), source: source, encodedByteCount: 1)
    }

    private func begin(_ state: inout BindingState, _ request: ImageRequest) throws -> BindingState.Generation {
        guard case .start(_, let generation) = state.bound(request) else { throw NotStarted() }
        return generation
    }

    /// Returns whether an event is accepted.
    private func accepts(
        _ state: inout BindingState, _ event: ImageTask.Event, _ generation: BindingState.Generation
    ) -> Bool {
        state.received(event, generation)
    }

    private struct NotStarted: Error {}

    @Test("a cancellation is not a failure, leaves no preview, and becoming visible loads again")
    func cancelled() async throws {
        var state = BindingState(options: .init())
        let first = try begin(&state, request("a"))
        #expect(accepts(&state, .preview(loaded(1).decoded), first))
        #expect(accepts(&state, .finished(.failure(.cancelled)), first))
        #expect(state.appearance.text == "idle empty")
        guard case .none = state.becameVisible(true) else { throw NotStarted() }
        _ = state.becameVisible(false)
        guard case .start = state.becameVisible(true) else { throw NotStarted() }
    }

    /// Binds a request whose image is not in memory.
    private func wait(_ state: inout BindingState, _ name: String) throws -> BindingState.Generation {
        let generation = try begin(&state, request(name))
        _ = state.lookedUp(.miss(request(name), preview: nil), generation)
        return generation
    }

    @Test("the old image stays over several requests, without its transition")
    func keepsOld() throws {
        var state = BindingState(options: .init(keepsOldImage: true, transition: .fadeIn(.seconds(1))))
        let first = try wait(&state, "a")
        #expect(accepts(&state, .finished(.success(loaded(1))), first))
        for name in ["b", "c"] {
            _ = try wait(&state, name)
            #expect(state.appearance.text == "loading previous 1")
        }
    }

    @Test("a frame is shown at once, after its image only, and the next image is none")
    func frames() throws {
        var state = BindingState(options: .init(transition: .fadeIn(.seconds(1))))
        let first = try wait(&state, "a")
        let frame = loaded(2).decoded.bitmap
        state.played(frame, isAnimating: true)
        #expect(!state.appearance.isAnimating)
        #expect(accepts(&state, .finished(.success(loaded(1))), first))
        state.played(frame, isAnimating: true)
        #expect(state.appearance.text == "success(network) final 2" && state.appearance.isAnimating)
        _ = try wait(&state, "b")
        #expect(!state.appearance.isAnimating)
    }

    @Test("a retry without a failure, and a lookup for an older request, change nothing")
    func outdated() throws {
        var state = BindingState(options: .init(loadsBeforeVisible: false))
        _ = state.becameVisible(false)
        _ = state.bound(request("a"))
        _ = state.retried()
        guard case .start(let first, let older) = state.becameVisible(true) else { throw NotStarted() }
        #expect(first.mode == .standard)
        let newer = try begin(&state, request("b"))
        #expect(accepts(&state, .finished(.success(loaded(1))), newer))
        _ = state.lookedUp(.miss(first, preview: nil), older)
        #expect(state.appearance.text == "success(network) final 1")
    }

    @Test("requests look alike with equal placeholders, failure images and transitions")
    func looks() {
        let requests = (0..<4).map { number in
            var request = request("a")
            if number == 1 { request.placeholder = .image(loaded(1).decoded) }
            if number == 2 { request.failureImage = loaded(1).decoded }
            if number == 3 { request.transition = .fadeIn(.seconds(2)) }
            return request
        }
        for (index, first) in requests.enumerated() {
            for (other, second) in requests.enumerated() { #expect(first.looksLike(second) == (index == other)) }
        }
        let transitions = [ImageTransition.immediate, .fadeIn(.seconds(2)), .crossDissolve(.milliseconds(500))]
        #expect(transitions.map(\.seconds) == [nil, 2, 0.5])
    }

    @Test("another placeholder doesn't replace an image")
    func laterPlaceholder() throws {
        var state = BindingState(options: .init())
        let first = try wait(&state, "a")
        #expect(accepts(&state, .finished(.success(loaded(1))), first))
        var other = request("a")
        other.placeholder = .image(loaded(2).decoded)
        guard case .prioritize = state.bound(other) else { throw NotStarted() }
        #expect(state.appearance.text == "success(network) final 1")
    }

    @Test("the request after one that was retried is no retry")
    func boundAfterRetry() throws {
        var state = BindingState(options: .init())
        let failed = try begin(&state, request("a"))
        #expect(accepts(&state, .finished(.failure(.notFound)), failed))
        guard case .start(let retried, _) = state.retried(), case .start(let next, _) = state.bound(request("b")) else {
            throw NotStarted()
        }
        #expect(retried.mode == .ignoringStoredErrors && next.mode == .standard)
    }

    @Test("only images that were not in memory fade in", arguments: ImageSource.allCases)
    func transitions(source: ImageSource) async throws {
        var options = ImageBinding.Options()
        options.transition = .fadeIn(.seconds(1))
        var state = BindingState(options: options)
        let generation = try begin(&state, request("a"))
        #expect(accepts(&state, .finished(.success(loaded(1, from: source))), generation))
        #expect(state.appearance.transition == (source == .memory ? .immediate : .fadeIn(.seconds(1))))
    }

    @Test("a request can turn off the transition of its view")
    func immediate() throws {
        var options = ImageBinding.Options()
        options.transition = .fadeIn(.seconds(1))
        var state = BindingState(options: options)
        var request = request("a")
        request.transition = .immediate
        let generation = try begin(&state, request)
        #expect(accepts(&state, .finished(.success(loaded(1, from: .network))), generation))
        #expect(state.appearance.transition == .immediate)
    }

    @Test("a retry asks the origin until it succeeds, also if it waits until the surface is visible")
    func retries() async throws {
        var options = ImageBinding.Options()
        options.loadsBeforeVisible = false
        options.releasesHiddenImage = true
        var state = BindingState(options: options)
        _ = state.becameVisible(true)
        let failed = try begin(&state, request("a"))
        #expect(accepts(&state, .finished(.failure(.notFound)), failed))
        _ = state.becameVisible(false)
        guard case .stop = state.retried() else { throw NotStarted() }
        guard case .start(let retry, let generation) = state.becameVisible(true) else { throw NotStarted() }
        #expect(retry.mode == .ignoringStoredErrors)
        #expect(state.request?.mode == .standard)
        #expect(accepts(&state, .finished(.success(loaded(1, from: .network))), generation))
        _ = state.becameVisible(false)
        guard case .start(let again, _) = state.becameVisible(true) else { throw NotStarted() }
        #expect(again.mode == .standard)
        guard case .start(let next, _) = state.bound(request("b")) else { throw NotStarted() }
        #expect(next.mode == .standard)
    }

    @Test("a retry keeps a mode that asks the origin, or never does", arguments: [ImageLoadMode.reload, .onlyIfCached])
    func retriedMode(_ mode: ImageLoadMode) async throws {
        var state = BindingState(options: ImageBinding.Options())
        var request = request("a")
        request.mode = mode
        let generation = try begin(&state, request)
        #expect(accepts(&state, .finished(.failure(.offline)), generation))
        guard case .start(let retry, _) = state.retried() else { throw NotStarted() }
        #expect(retry.mode == mode)
    }

    @Test("the transition of the request takes precedence over that of the binding")
    func requestTransition() async throws {
        var options = ImageBinding.Options()
        options.transition = .fadeIn(.seconds(1))
        var state = BindingState(options: options)
        var request = request("a")
        request.transition = .crossDissolve(.seconds(2))
        let generation = try begin(&state, request)
        #expect(accepts(&state, .finished(.success(loaded(1, from: .disk))), generation))
        #expect(state.appearance.transition == .crossDissolve(.seconds(2)))
    }

    @Test(
        "shows only results of the latest attempt, in any order of events",
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
            #expect(run.violation == nil, "seed \(seed)")
        }
    }
}

/// Applies random events to a binding. Results of every earlier attempt may still arrive.
private struct Run {
    var state: BindingState
    let images: [LoadedImage]
    /// All attempts, with their generation.
    private var attempted: [(name: Int, attempt: Int, BindingState.Generation)] = []
    /// The current request and the number of attempts.
    private var expected: (name: Int, attempt: Int)?
    private var attempts = 0

    init(state: BindingState, images: [LoadedImage]) {
        self.state = state
        self.images = images
    }

    mutating func step(using random: inout SeededRandom) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...2:
            let name = Int.random(in: images.indices, using: &random)
            perform(state.bound(ImageRequest(.data(Data(), name: "\(name)"))), name)
        case 3: perform(state.becameVisible(Bool.random(using: &random)), expected?.name)
        case 4: perform(state.retried(), expected?.name)
        case 5:
            _ = state.unbound()
            expected = nil
        default:
            if let answered = attempted.randomElement(using: &random) { deliverResult(answered, using: &random) }
        }
    }

    private mutating func perform(_ action: BindingState.Action, _ name: Int?) {
        guard let name else { return }
        switch action {
        case .none, .prioritize, .redraw: break
        case .stop: expected = (name, 0)
        case .start(_, let generation):
            attempts += 1
            expected = (name, attempts)
            attempted.append((name, attempts, generation))
        }
    }

    /// Delivers an event that carries the number of its attempt as its size in bytes.
    private mutating func deliverResult(
        _ answered: (name: Int, attempt: Int, BindingState.Generation), using random: inout SeededRandom
    ) {
        var loaded = images[answered.name]
        loaded.encodedByteCount = answered.attempt
        let isAccepted =
            switch Int.random(in: 0..<3, using: &random) {
            case 0: state.received(.preview(loaded.decoded), answered.2)
            case 1: state.received(.finished(.failure(.notFound)), answered.2)
            default: state.received(.finished(.success(loaded)), answered.2)
            }
        if isAccepted, expected?.attempt != answered.attempt {
            violation = "accepted the result of attempt \(answered.attempt)"
        }
    }

    /// The violation, if there is one.
    private(set) var violation: String?
}
