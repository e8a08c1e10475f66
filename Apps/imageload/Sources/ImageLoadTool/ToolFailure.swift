import ImageCore

/// The tool's exit codes, from sysexits.h where it defines one.
enum ToolStatus: Int32 {
    /// EX_USAGE: the command line is wrong.
    case usage = 64
    /// EX_DATAERR: the data can't be decoded as an image.
    case notAImage = 65
    /// EX_NOINPUT: no such file, or the server has no such image.
    case noInput = 66
    /// EX_UNAVAILABLE: the network or the server failed.
    case network = 69
    /// EX_SOFTWARE: any other failure.
    case failure = 70
    /// EX_IOERR: reading or writing a file failed.
    case inputOutput = 74
    /// The image exceeds a limit. It may be valid.
    case tooLarge = 100
}

/// An error that the tool reports with a line on standard error and an exit code.
struct ToolFailure: Error {
    var status: ToolStatus
    /// Describes the problem and how to fix it.
    var line: String
}

extension ToolFailure {
    /// - Parameter subject: The file or URL that failed.
    init(_ failure: DecodingFailure, subject: String) {
        switch failure {
        case .limitExceeded(let limit, _, _):
            self.init(status: .tooLarge, line: "\(subject): \(failure). \(limit.advice)")
        case .noSuchFrame:
            self.init(status: .usage, line: "\(subject): \(failure). Choose a frame from 0.")
        case .unknownFormat:
            self.init(status: .notAImage, line: "\(subject): \(failure). Supported formats: JPEG, PNG, WebP and GIF.")
        case .truncated:
            self.init(status: .notAImage, line: "\(subject): \(failure). Fetch it again.")
        default:
            self.init(
                status: .notAImage, line: "\(subject): \(failure). Try to re-save it with another program.")
        }
    }

    init(_ error: ImageError, subject: String) {
        switch error {
        case .decoding(let failure): self.init(failure, subject: subject)
        case .invalidURL:
            self.init(
                status: .usage,
                line: "\(subject): \(error). Use http://, https://, file:// or data: and check the spelling.")
        case .network(let kind, _):
            self.init(status: .network, line: "\(subject): \(error). \(kind.advice)")
        case .httpStatus:
            self.init(status: .network, line: "\(subject): \(error). Check the address and the permissions.")
        case .notFound: self.init(status: .noInput, line: "\(subject): not found. Check the address.")
        case .tooLarge: self.init(status: .tooLarge, line: "\(subject): \(error). Use a smaller image.")
        case .offline:
            self.init(status: .network, line: "\(subject): \(error). Load it once without --offline.")
        case .fetch, .circularFetch, .processing, .cancelled, .invalidated:
            self.init(status: .failure, line: "\(subject): \(error). Try again.")
        }
    }
}

extension ImageError.NetworkFailure {
    var advice: String {
        switch self {
        case .unresolvedHost: "Check the host name and the connection."
        case .connectionRefused: "Check that the server is running and the port is correct."
        case .tls: "Check the server's certificate."
        case .redirect: "Use the final address."
        case .timedOut: "Try again, or raise --timeout."
        case .blockedAddress: "Use a public address."
        case .hostUnavailable: "Try again in a minute."
        case .connectionLost, .truncatedBody, .malformedResponse, .other: "Try again."
        }
    }
}

extension DecodingLimit {
    fileprivate var advice: String {
        switch self {
        case .decodedBytes: "Decode it to a smaller --size, or raise --max-memory."
        case .pixels: "Use a smaller image, or raise --max-megapixels."
        case .encodedBytes, .side, .frames, .metadataBytes, .scans: "Use a smaller image."
        }
    }
}
