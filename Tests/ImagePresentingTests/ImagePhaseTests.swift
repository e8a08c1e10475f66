import ImageCore
import ImagePresenting
import Testing

@Suite("Image phases")
struct ImagePhaseTests {
    private static let progress = WorkProgress(completedBytes: 10, totalBytes: 20)

    private static let phases: [(String, ImagePhase)] = [
        ("idle", .idle), ("loading", .loading(nil)), ("loading(10)", .loading(progress)),
        ("success(disk)", .success(.disk)), ("failure(not found)", .failure(.notFound)),
    ]
    private static let events: [(String, ImagePhase.Event)] = [
        ("begin", .begin), ("progress", .progress(progress)), ("succeed", .succeed(.network)),
        ("fail", .fail(.offline)),
        ("cancel", .fail(.cancelled)), ("retry", .retry), ("clear", .clear),
    ]

    /// All valid events. Others are rejected.
    private static let legal: [String: [String: String]] = [
        "idle": ["begin": "loading"],
        "loading": [
            "begin": "loading", "progress": "loading(10)", "succeed": "success(network)",
            "fail": "failure(offline, and the image is not cached)", "cancel": "idle", "clear": "idle",
        ],
        "loading(10)": [
            "begin": "loading", "progress": "loading(10)", "succeed": "success(network)",
            "fail": "failure(offline, and the image is not cached)", "cancel": "idle", "clear": "idle",
        ],
        "success(disk)": ["begin": "loading", "clear": "idle"],
        "failure(not found)": ["begin": "loading", "retry": "loading", "clear": "idle"],
    ]

    @Test("follows the table of valid events, and rejects all others", arguments: phases.indices)
    func table(index: Int) {
        let (name, phase) = Self.phases[index]
        #expect(phase.text == name)
        for (eventName, event) in Self.events {
            let expected = Self.legal[name]?[eventName]
            #expect(phase.after(event)?.text == expected, "\(eventName) in \(name)")
            var changed = phase
            let isLegal = changed.apply(event)
            #expect(isLegal == (expected != nil), "\(eventName) in \(name)")
            #expect(changed.text == expected ?? name, "\(eventName) in \(name)")
        }
    }

    @Test("a phase has exactly one kind")
    func kinds() {
        for (name, phase) in Self.phases {
            let kinds = [phase.isIdle, phase.isLoading, phase.isSuccess, phase.isFailure]
            let expected = ["idle", "loading", "success", "failure"].map { name.hasPrefix($0) }
            #expect(kinds == expected, "\(name)")
        }
    }
}
