import HTTPTypes
import ImageCore
import ImagePresenting
import ImageTransporting

@testable import ImageTesting

extension LoaderTestBed {
    /// Creates a request that fails the given number of times before it succeeds.
    func failing(_ times: Int = 1, adjust: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
        let failures = Array(repeating: ScriptedTransport.Reply.status(.notFound), count: times)
        return request("failing", failures + [.ok(Self.file(width: 4))], adjust: adjust)
    }

    /// Creates a binding that renders into a surface.
    @MainActor
    func binding(
        on surface: RecordingSurface, _ adjust: (inout ImageBinding.Options) -> Void = { _ in }
    ) -> ImageBinding {
        var options = ImageBinding.Options()
        adjust(&options)
        return ImageBinding(loader: loader, surface: surface, options: options)
    }
}

/// Records the appearances that it renders.
@MainActor
final class RecordingSurface: ImageSurface {
    let log = MessageLog<String>()
    private(set) var last = ImageAppearance()
    /// Called after each appearance is recorded.
    var onRender: (ImageAppearance) -> Void = { _ in }

    var rendered: [String] { log.messages }

    func render(_ appearance: ImageAppearance) {
        last = appearance
        log.append(appearance.text)
        onRender(appearance)
    }

    /// Waits until the last appearance satisfies the condition.
    func ends(file: StaticString = #fileID, line: UInt = #line, _ condition: (ImageAppearance) -> Bool) async {
        await becomesTrue(file: file, line: line) { condition(last) }
    }
}

extension ImageAppearance {
    /// The phase, kind, image width and transition, such as "success(disk) final 4 fadeIn".
    var text: String {
        let width = image.map { " \($0.bitmap.size.width)" } ?? ""
        let suffix =
            switch transition {
            case .immediate: ""
            case .fadeIn: " fadeIn"
            case .crossDissolve: " crossDissolve"
            }
        return "\(phase.text) \(kind)\(width)\(suffix)"
    }
}

extension ImagePhase {
    /// The phase and its associated value, such as "loading(10)".
    var text: String {
        switch self {
        case .idle: "idle"
        case .loading(nil): "loading"
        case .loading(let progress?): "loading(\(progress.completedByteCount))"
        case .success(let source): "success(\(source.rawValue))"
        case .failure(let error): "failure(\(error))"
        }
    }
}
