import Foundation
import ImageCore
import ImageLoaderKit
import ImageMetadata
import ImageProcessing

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
struct ToolFailure: Error, Hashable {
    var status: ToolStatus
    /// Describes the problem and how to fix it.
    var line: String
}

extension ToolFailure {
    /// Runs a decoder's work on a file, and turns its failure into a `ToolFailure`.
    static func naming<Result>(
        _ file: String, _ body: () throws -> Result
    ) throws(ToolFailure) -> Result {
        do {
            return try body()
        } catch {
            throw ToolFailure(error, subject: file)
        }
    }

    /// - Parameter subject: The file or URL that failed.
    init(_ error: any Error, subject: String) {
        switch error {
        case let failure as ToolFailure: self = failure
        case let error as ImageError: self.init(error, subject: subject)
        case let failure as ImageDecodingError: self.init(decoding: failure, subject: subject)
        case let error as TooLargeAtThisSize:
            self.init(decoding: error.failure, subject: subject, size: "Decode it to a smaller --size, or")
        case let failure as ImageEncodingError:
            var isTooLarge = false
            if case .unsupportedSize = failure { isTooLarge = true }
            let cure = isTooLarge ? "Choose a smaller --size, or another format." : "Choose another format."
            self.init(status: .failure, line: "\(subject): can't write the image (\(failure)). \(cure)")
        case let error as LostContent:
            let list = error.losses.map(\.description).joined(separator: ", ")
            self.init(
                status: .failure,
                line: """
                    \(subject): would lose \(list). Choose --keep all, --color auto or another format, or omit --strict.
                    """)
        case let error as TooManyBytes:
            let advice = error.isLossy ? "or a lower --min-quality" : "or a format with --quality, such as webp"
            self.init(
                status: .tooLarge,
                line: """
                    \(subject): has \(error.bytes) bytes at least, and --max-bytes is \(error.limit). Choose a smaller \
                    --size, a larger --max-bytes, \(advice).
                    """)
        case CropError.outside(let size):
            self.init(
                status: .usage, line: "\(subject): the crop is outside the \(size) pixels. Choose another --crop.")
        default: self.init(status: .failure, line: "\(subject): \(error). Try again.")
        }
    }

    init(cantWrite path: String, _ reason: String) {
        self.init(
            status: .inputOutput, line: "\(path): can't write (\(reason)). Check the folder and the free space.")
    }

    private static var formats: String { [any ImageDecoder].all.map(\.format.rawValue).joined(separator: ", ") }

    /// - Parameter size: What to say before "raise --max-memory" to one who can choose the size.
    init(decoding failure: ImageDecodingError, subject: String, size: String = "To read it,") {
        if failure == .unknownFormat, let format = ForeignFormat.name(of: subject) {
            self = ForeignFormat.failure(format, subject: subject)
            return
        }
        let (status, advice): (ToolStatus, String) =
            switch failure {
            case .limitExceeded(.decodedBytes, _, _): (.tooLarge, "\(size) raise --max-memory.")
            case .limitExceeded(let limit, _, _): (.tooLarge, limit.advice)
            case .noSuchFrame: (.usage, "Choose a frame from 0.")
            case .unknownFormat: (.notAImage, "Known formats: \(Self.formats).")
            case .truncated: (.notAImage, "Fetch it again.")
            case .workerFailed: (.failure, "Don't decode it without --isolated unless you trust it.")
            default: (.notAImage, "Try to re-save it with another program.")
            }
        self.init(status: status, line: "\(subject): \(failure). \(advice)")
    }

    init(_ error: ImageError, subject: String) {
        if case .decoding(let failure) = error {
            self.init(decoding: failure, subject: subject)
            return
        }
        let (status, advice): (ToolStatus, String) =
            switch error {
            case .invalidURL: (.usage, "Use http://, https://, file:// or data: and check the spelling.")
            case .invalidHeader: (.usage, "Check the spelling of the header field.")
            case .network(let failure): (.network, failure.kind.advice)
            case .httpStatus: (.network, "Check the address and the permissions.")
            case .notFound: (.noInput, "Check the address.")
            case .tooLarge: (.tooLarge, "Use a smaller image.")
            case .offline: (.network, "Load it once without --offline.")
            case .decoding, .fetch, .circularFetch, .modifier, .processing, .cancelled, .accountChanged, .shutDown:
                (.failure, "Try again.")
            }
        self.init(status: status, line: "\(subject): \(error). \(advice)")
    }
}

/// An image needs too much memory, and less in a smaller size.
struct TooLargeAtThisSize: Error {
    var failure: ImageDecodingError
}

extension SizedImageDecoder {
    /// Runs the work on an image. Throws `TooLargeAtThisSize` where a smaller size helps.
    func tellingSize<Result>(of data: Data, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let failure as ImageDecodingError {
            guard case .limitExceeded(.decodedBytes, _, _) = failure else { throw failure }
            let smallest = DecodingRequest(target: ImageTarget(PixelSize(width: 1, height: 1)))
            do {
                _ = try decode(data, request: smallest)
            } catch .limitExceeded {
                throw failure
            }
            throw TooLargeAtThisSize(failure: failure)
        }
    }
}

extension NetworkFailure.Kind {
    var advice: String {
        switch self {
        case .unresolvedHost: "Check the host name and the connection."
        case .connectionRefused: "Check that the server is running and the port is correct."
        case .tls: "Check the server's certificate."
        case .redirect: "Use the final address."
        case .timedOut: "Try again, or raise --timeout."
        case .blockedAddress: "Use a public address."
        case .serverUnavailable: "Try again in a minute."
        case .connectionLost, .truncatedBody, .malformedResponse, .other: "Try again."
        }
    }
}

extension DecodingLimit {
    fileprivate var advice: String {
        switch self {
        case .pixels: "Use a smaller image, or raise --max-megapixels."
        case .encodedBytes, .side, .frames, .metadataBytes, .decodedBytes, .scans: "Use a smaller image."
        }
    }
}
