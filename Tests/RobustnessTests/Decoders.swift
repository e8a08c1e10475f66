import AllFormats
import ImageCore

/// The decoders under test.
enum Decoders {
    static let all: [any ImageDecoder] = .all

    static func decoder(of format: ImageFormat) -> (any ImageDecoder)? { all.first { $0.format == format } }
}
