import Synchronization

/// The parser in use. It can be replaced while requests are parsed, to reload presets.
final class CurrentParser: Sendable {
    private let state: Mutex<(parser: ImageURLParser, generation: Int)>

    init(_ parser: ImageURLParser) { state = Mutex((parser, 0)) }

    /// The parser for the next request, and the number of parsers before it.
    var current: (parser: ImageURLParser, generation: Int) { state.withLock { $0 } }

    /// Uses another parser from the next request on.
    func replace(with parser: ImageURLParser) { state.withLock { $0 = (parser, $0.generation + 1) } }
}
