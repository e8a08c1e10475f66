/// Why the path of a request is not the URL of an image.
enum URLFailure: Error, Hashable, Sendable {
    /// The signature does not match the path, or is missing.
    case wrongSignature
    case unknownOption(String)
    /// imgproxy has the option or this value of it, and this server does not. The text says why.
    case unsupportedOption(String, String)
    /// The arguments of an option are not valid. The text is for humans.
    case invalidArguments(String, String)
    case unknownPreset(String)
    /// A preset uses itself, directly or through others.
    case recursivePreset(String)
    /// There is no encoder for this format.
    case unknownFormat(String)
    /// The path has no source URL.
    case missingSource
    /// The source URL can't be decoded or parsed. The text is for humans.
    case malformedSource(String)
    /// The URL was valid until this time, in seconds since 1970.
    case expired(Int)
}

extension URLFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .wrongSignature: "the signature is missing or wrong"
        case .unknownOption(let name): "unknown option: \(name)"
        case .unsupportedOption(let name, let reason): "unsupported option: \(name): \(reason)"
        case .invalidArguments(let name, let reason): "invalid arguments of the option \(name): \(reason)"
        case .unknownPreset(let name): "unknown preset: \(name)"
        case .recursivePreset(let name): "the preset \(name) uses itself"
        case .unknownFormat(let name): "unknown format: \(name)"
        case .missingSource: "the path has no source URL"
        case .malformedSource(let reason): "malformed source URL: \(reason)"
        case .expired(let time): "the URL expired at \(time)"
        }
    }
}
